-- name: warm_workspaces.brought
-- Every template that any organisation brought, by name.
SELECT organisation_id, name FROM templates ORDER BY organisation_id, name LIMIT 1000

-- name: warm_workspaces.listed
-- All of them.
SELECT * FROM warm_workspaces ORDER BY begun_at LIMIT 10000

-- name: warm_workspaces.begin
-- Take a place, unless somebody has it.
INSERT INTO warm_workspaces (id, organisation_id, template, version, place, driver, plan)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT DO NOTHING
RETURNING id

-- name: warm_workspaces.ready
-- Say that one can be used, unless it was given up meanwhile.
UPDATE warm_workspaces SET status = 'ready' WHERE id = $1 AND status = 'creating' RETURNING id

-- name: warm_workspaces.take
-- Let somebody have one that stands ready, as their workspace. Of two who want the last one, one gets it.
WITH taken AS (
    DELETE FROM warm_workspaces WHERE id = (
        SELECT id FROM warm_workspaces
        WHERE organisation_id = $2 AND template = $4 AND version = $5 AND status = 'ready'
            AND NOT EXISTS (SELECT FROM workspaces WHERE id = $1)
            AND (SELECT count(*) FROM workspaces WHERE owner_id = $3 AND status <> 'failed') < $8::integer
        ORDER BY begun_at LIMIT 1
        FOR UPDATE SKIP LOCKED
    )
    RETURNING driver, plan
)
INSERT INTO workspaces (id, organisation_id, owner_id, driver, template, parameters, plan, ttl_minutes, status)
SELECT $1, $2, $3, driver, $4, $6, plan, $7, 'running' FROM taken
RETURNING *

-- name: warm_workspaces.leave
-- Give one up, unless somebody has taken it. Who gives it up removes what it is.
UPDATE warm_workspaces SET status = 'leaving', begun_at = now() WHERE id = $1 RETURNING id

-- name: warm_workspaces.abandoned
-- Those that nobody makes or removes any more, and those that have stood too long.
SELECT * FROM warm_workspaces
WHERE (status <> 'ready' AND begun_at < now() - $1::interval) OR (status = 'ready' AND begun_at < now() - $2::interval)
ORDER BY begun_at LIMIT 100

-- name: warm_workspaces.forget
-- It is gone.
DELETE FROM warm_workspaces WHERE id = $1 AND status = 'leaving'
