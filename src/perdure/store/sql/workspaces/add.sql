-- Begin to make a workspace, unless its owner has as many as they may. The same id is begun once; whether it is there.
WITH known AS (
    SELECT id FROM workspaces WHERE id = $1
), begun AS (
    INSERT INTO workspaces (id, organisation_id, owner_id, driver, template, parameters, plan, ttl_minutes)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8
    WHERE NOT EXISTS (SELECT FROM known)
        AND (SELECT count(*) FROM workspaces WHERE owner_id = $3 AND status <> 'failed') < $9::integer
    ON CONFLICT (id) DO NOTHING
    RETURNING id
)
SELECT EXISTS (SELECT FROM known) OR EXISTS (SELECT FROM begun)
