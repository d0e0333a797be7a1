-- Where the demo's provider listened last.
SELECT base_url FROM providers WHERE organisation_id = $1 AND name = 'demo'
