-- name: workspaces.add
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

-- name: workspaces.load
-- One workspace.
SELECT * FROM workspaces WHERE id = $1

-- name: workspaces.of_chat
-- The workspace of a chat. Whatever its card names, only a workspace of the same owner counts.
SELECT w.* FROM chat_cards c JOIN workspaces w ON w.id = c.workspace_id AND w.owner_id = c.owner_id WHERE c.id = $1

-- name: workspaces.previewed
-- The workspace of a chat, for somebody who may read the chat and is still signed in as they were.
SELECT w.* FROM chat_cards c
JOIN workspaces w ON w.id = c.workspace_id AND w.owner_id = c.owner_id
JOIN users u ON u.id = $1 AND u.organisation_id = $2 AND u.disabled_at IS NULL
WHERE c.id = $4 AND w.id = $5 AND may_read(c.id, c.root_id, c.owner_id, u.id)
    AND ($3::uuid IS NULL OR EXISTS (
        SELECT FROM sessions s WHERE s.id = $3 AND s.user_id = u.id AND s.expires_at > now()
    ))

-- name: workspaces.idle
-- Running workspaces that nobody has used for as long as they may stand idle. One that a call is under way in is used.
SELECT * FROM workspaces w
WHERE w.status = 'running' AND w.used_at < now() - make_interval(mins => w.ttl_minutes)
    AND NOT EXISTS (
        SELECT FROM chat_cards c JOIN journal j ON j.chat_id = c.id
        WHERE c.workspace_id = w.id AND j.state = 'started' AND j.effect = 'keyed' AND j.started_at > now() - $1::interval
    )
ORDER BY w.used_at LIMIT 100

-- name: workspaces.everybodys
-- Everybody's workspaces, those used last first.
SELECT w.id, w.status, w.template, w.used_at, u.email
FROM workspaces w JOIN users u ON u.id = w.owner_id
ORDER BY w.used_at DESC
LIMIT 1000

-- name: workspaces.of_driver
-- What was made with a driver, or is being made: for people, and ahead of its use.
SELECT id, plan, status FROM workspaces WHERE driver = $1
UNION ALL
SELECT id, plan, status FROM warm_workspaces WHERE driver = $1

-- name: workspaces.stand
-- Say how a workspace stands.
UPDATE workspaces SET status = $2, error = $3, used_at = now() WHERE id = $1

-- name: workspaces.touch
-- Say that a workspace is in use.
UPDATE workspaces SET used_at = now() WHERE id = $1

-- name: workspaces.remove
-- Forget a workspace that is gone, and let no chat point at it.
WITH detached AS (
    UPDATE chat_cards SET workspace_id = NULL, diff = NULL, metadata_version = metadata_version + 1
    WHERE workspace_id = $1
)
DELETE FROM workspaces WHERE id = $1

-- name: workspaces.own
-- The workspaces of whoever asks, newest first.
SELECT * FROM workspaces WHERE owner_id = $1 AND organisation_id = $2 ORDER BY created_at DESC LIMIT 200

-- name: workspaces.acting_chats
-- The root chats of whoever asks that act in these workspaces, newest first.
SELECT k.workspace_id, k.id, k.title
FROM chat_cards k
WHERE k.owner_id = $1 AND k.organisation_id = $2 AND k.parent_id IS NULL AND k.workspace_id = ANY($3::uuid[])
ORDER BY k.created_at DESC

-- name: workspaces.rename
-- Call a workspace of one's own something.
UPDATE workspaces SET name = $4 WHERE owner_id = $1 AND organisation_id = $2 AND id = $3

-- name: workspaces.read
-- One workspace of whoever asks.
SELECT * FROM workspaces WHERE owner_id = $1 AND organisation_id = $2 AND id = $3

-- name: workspaces.remove_own
-- Forget a workspace that is gone, and let no chat point at it.
WITH detached AS (UPDATE chat_cards SET workspace_id = NULL, diff = NULL, metadata_version = metadata_version + 1 WHERE workspace_id = $3)
DELETE FROM workspaces WHERE owner_id = $1 AND organisation_id = $2 AND id = $3

-- name: workspaces.unused
-- A workspace of whoever asks, if no chat acts in it.
SELECT w.* FROM workspaces w
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3
    AND NOT EXISTS (SELECT FROM chat_cards k WHERE k.workspace_id = w.id)

-- name: workspaces.acting_roots
-- The root chats that act in a workspace: where each stands, and whether it or an agent of it is at work.
SELECT k.id, c.turn, c.status NOT IN ('waiting', 'error') OR agents.working AS busy, agents.working AS agents
FROM chat_cards k
JOIN chats c ON c.id = k.id
CROSS JOIN LATERAL (
    SELECT EXISTS (
        SELECT FROM chat_cards f JOIN chats x ON x.id = f.id
        WHERE f.root_id = k.id AND f.id <> k.id AND x.status NOT IN ('waiting', 'error')
    ) AS working
) agents
WHERE k.workspace_id = $1 AND k.parent_id IS NULL
ORDER BY k.created_at DESC LIMIT 1000

-- name: workspaces.keep_files
-- Note that a workspace keeps earlier states of its files for a chat.
INSERT INTO kept_files (workspace_id, chat_id) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- name: workspaces.outliving
-- Workspaces that keep earlier states of their files for chats that are gone or act elsewhere, at most $1.
SELECT w.* FROM workspaces w
WHERE w.status IN ('running', 'stopped') AND EXISTS (
    SELECT FROM kept_files f
    WHERE f.workspace_id = w.id AND NOT EXISTS (
        SELECT FROM chat_cards k WHERE k.id = f.chat_id AND k.workspace_id = w.id
    )
)
ORDER BY w.used_at DESC LIMIT $1

-- name: workspaces.let_go
-- Note that a workspace let go of what it kept for chats other than these.
DELETE FROM kept_files WHERE workspace_id = $1 AND chat_id <> ALL($2::uuid[])
