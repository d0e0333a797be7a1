-- name: network.rules
-- The rules that hold in all workspaces of an organisation whose network is by permission.
SELECT id, rule, once FROM network_rules WHERE organisation_id = $1 AND chat_id IS NULL ORDER BY created_at, id

-- name: network.of_chat
-- The rules that were made for a chat.
SELECT id, rule, once FROM network_rules WHERE organisation_id = $1 AND chat_id = $2 ORDER BY created_at, id

-- name: network.of_workspace
-- All rules that hold in a workspace: those of its organisation, and of the chats that act there.
SELECT r.id, r.rule, r.once
FROM workspaces w
JOIN network_rules r ON r.organisation_id = w.organisation_id
WHERE w.id = $1 AND (
    r.chat_id IS NULL
    OR r.chat_id IN (SELECT c.id FROM chat_cards c WHERE c.workspace_id = w.id AND c.owner_id = w.owner_id)
)
ORDER BY r.created_at, r.id

-- name: network.add
-- A rule: $4 as JSON, for the chat $3 or for all, $5 for one request only; unless there are $6 for the same already.
INSERT INTO network_rules (created_by, organisation_id, chat_id, rule, once)
SELECT $1, $2, $3, $4, $5
WHERE (
    SELECT count(*) FROM network_rules r
    WHERE r.chat_id = $3 OR ($3 IS NULL AND r.chat_id IS NULL AND r.organisation_id = $2)
) < $6::integer
RETURNING id, rule, once

-- name: network.remove
-- Take a rule away: one of the chat $3, or one that holds for all.
DELETE FROM network_rules WHERE organisation_id = $1 AND id = $2 AND chat_id IS NOT DISTINCT FROM $3 RETURNING id

-- name: network.spend
-- Forget rules that held once and were used.
DELETE FROM network_rules WHERE id = ANY($1) AND once

-- name: network.secret_names
-- The names of an organisation's secrets for rules.
SELECT name FROM network_secrets WHERE organisation_id = $1 ORDER BY name

-- name: network.put_secret
-- Keep a secret, or another one under the same name.
INSERT INTO network_secrets (organisation_id, name, secret) VALUES ($1, $2, $3)
ON CONFLICT (organisation_id, name) DO UPDATE SET secret = excluded.secret, changed_at = now()

-- name: network.remove_secret
-- Forget a secret.
DELETE FROM network_secrets WHERE organisation_id = $1 AND name = $2 RETURNING name

-- name: network.own_secret_names
-- The names of a person's own secrets for rules.
SELECT name FROM own_network_secrets WHERE user_id = $1 AND organisation_id = $2 ORDER BY name

-- name: network.put_own_secret
-- Keep a person's own secret, or another one under the same name.
INSERT INTO own_network_secrets (user_id, organisation_id, name, secret) VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, name) DO UPDATE SET secret = excluded.secret, changed_at = now()

-- name: network.remove_own_secret
-- Forget a person's own secret.
DELETE FROM own_network_secrets WHERE user_id = $1 AND organisation_id = $2 AND name = $3 RETURNING name

-- name: network.sealed
-- Secrets that rules name, as they are kept: the organisation's, and in their place those of the workspace's owner $2.
SELECT name, coalesce(o.secret, s.secret) AS secret
FROM (SELECT name, secret FROM network_secrets WHERE organisation_id = $1 AND name = ANY($3)) s
FULL JOIN (SELECT name, secret FROM own_network_secrets WHERE user_id = $2 AND name = ANY($3)) o USING (name)

-- name: network.running
-- The workspaces that run with a network by permission, as $1 in their plans says.
SELECT * FROM workspaces WHERE status = 'running' AND strpos(plan, $1) > 0 ORDER BY used_at DESC LIMIT 1000

-- name: network.used
-- How far what a workspace's proxy saw is counted.
SELECT incarnation, last, allowed, refused FROM network_use WHERE workspace_id = $1

-- name: network.account
-- Count what the proxy $2 saw up to its request $3, where it was counted up to request $5 of the proxy $4 before, and note
-- requests in the audit log. Whether that was done: another replica may have been first.
WITH moved AS (
    INSERT INTO network_use AS u (workspace_id, incarnation, last, allowed, refused)
    SELECT id, $2, $3, $6, $7 FROM workspaces WHERE id = $1
    ON CONFLICT (workspace_id) DO UPDATE
    SET incarnation = excluded.incarnation, last = excluded.last,
        allowed = u.allowed + excluded.allowed, refused = u.refused + excluded.refused
    WHERE u.incarnation = $4 AND u.last = $5
    RETURNING u.workspace_id
), noted AS (
    INSERT INTO audit (organisation_id, actor_id, action, subject, detail, at)
    SELECT w.organisation_id, w.owner_id, r.action, w.id::text, r.detail, r.at
    FROM moved
    JOIN workspaces w ON w.id = moved.workspace_id
    CROSS JOIN jsonb_to_recordset($8::text::jsonb) AS r (action text, detail text, at timestamptz)
)
SELECT EXISTS (SELECT FROM moved)
