-- Whether nobody else keeps house now. Holds until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtext('perdure housekeeping'))
