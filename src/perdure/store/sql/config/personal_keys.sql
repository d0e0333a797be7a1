-- The encrypted keys that a person brought.
SELECT provider_id, secret FROM provider_keys WHERE user_id = $1
