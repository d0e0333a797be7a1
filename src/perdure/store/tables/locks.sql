-- name: locks.housekeeping
-- Whether nobody else keeps house now. Holds until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtext('perdure housekeeping'))

-- name: locks.first_account
-- Wait until no other replica makes the first account. Holds until the transaction ends.
SELECT pg_advisory_xact_lock(hashtext('perdure first account'))
