-- The demo's provider: made when there is no other, and told where the simulator listens now. Any key opens it.
INSERT INTO providers (organisation_id, name, dialect, base_url, options)
SELECT $1, 'demo', 'anthropic_messages', $2, '{"headers":{"x-api-key":"demo"}}'
WHERE NOT EXISTS (SELECT FROM providers p WHERE p.organisation_id = $1 AND p.name <> 'demo')
ON CONFLICT (organisation_id, lower(name)) DO UPDATE SET base_url = excluded.base_url, options = excluded.options
RETURNING id
