-- name: task_pushes.add
-- Have a program told of turn $4 of chat $3, unless 200 are for the same person already. It is looked at again after a
-- while: what happens before every replica knows of it is told then.
WITH added AS (
    INSERT INTO webhooks AS w (owner_id, organisation_id, chat_id, turn, name, url, secret, events)
    SELECT u.id, u.organisation_id, $3, $4, $5, $6, $7,
        ARRAY['chat.message', 'chat.finished', 'chat.failed', 'chat.needs_you']
    FROM users u
    WHERE u.id = $1 AND u.organisation_id = $2
        AND (SELECT count(*) FROM webhooks o WHERE o.owner_id = $1 AND o.chat_id IS NOT NULL) < 200
    ON CONFLICT (chat_id, turn, owner_id, name) WHERE chat_id IS NOT NULL
    DO UPDATE SET url = excluded.url, secret = excluded.secret, enabled = true
    RETURNING w.id
)
INSERT INTO outbox (webhook_id, event, due_at) SELECT a.id, 'task.begun', now() + interval '5 seconds' FROM added a
RETURNING webhook_id

-- name: task_pushes.listed
-- Which programs are told of a turn, for whoever said so.
SELECT w.name, w.url, w.secret FROM webhooks w
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.chat_id = $3 AND w.turn = $4 ORDER BY w.created_at, w.name

-- name: task_pushes.remove
-- Tell a program nothing more of a turn.
DELETE FROM webhooks w
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.chat_id = $3 AND w.turn = $4 AND w.name = $5 RETURNING w.id

-- name: task_pushes.place
-- Which turn a program is told of, and in whose name it is read.
SELECT w.chat_id, w.turn, w.owner_id, w.organisation_id, u.role
FROM webhooks w JOIN users u ON u.id = w.owner_id AND u.disabled_at IS NULL
WHERE w.id = $1 AND w.chat_id IS NOT NULL

-- name: task_pushes.over
-- The program knows how the turn ended.
DELETE FROM webhooks WHERE id = $1 AND chat_id IS NOT NULL
