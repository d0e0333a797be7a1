-- name: push.add
-- A browser to push to. One that somebody else used before is now whoever's is signed in there.
WITH others AS (
    DELETE FROM push_subscriptions p WHERE p.endpoint = $3 AND p.user_id <> $1
)
INSERT INTO push_subscriptions AS p (user_id, endpoint, keys)
SELECT u.id, $3, $4 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (user_id, endpoint) DO UPDATE SET keys = excluded.keys
RETURNING p.id

-- name: push.remove
-- Push no more to a browser of one's own.
DELETE FROM push_subscriptions p USING users u
WHERE p.id = $3 AND p.user_id = $1 AND u.id = $1 AND u.organisation_id = $2
RETURNING p.id

-- name: push.take
-- Take entries that nobody delivers yet, each with the browsers of the person it is for. An entry older than $1 is not
-- news any more; one that was taken longer than $2 ago was dropped by whoever took it. Children are their parent's.
WITH due AS (
    SELECT DISTINCT i.id
    FROM push_subscriptions s
    JOIN inbox i ON i.user_id = s.user_id
    LEFT JOIN chat_cards k ON k.id = i.chat_id
    WHERE i.pushed_at IS NULL AND i.read_at IS NULL AND i.kind IN ('finished', 'failed', 'needs_you', 'schedule_paused', 'mention')
        AND k.parent_id IS NULL
        AND i.created_at > now() - $1::interval
        AND (i.push_taken_at IS NULL OR i.push_taken_at < now() - $2::interval)
), held AS (
    SELECT i.id FROM inbox i JOIN due ON due.id = i.id LIMIT $3 FOR UPDATE OF i SKIP LOCKED
), taken AS (
    UPDATE inbox i SET push_taken_at = now()
    FROM held
    WHERE i.id = held.id AND i.pushed_at IS NULL AND (i.push_taken_at IS NULL OR i.push_taken_at < now() - $2::interval)
    RETURNING i.id, i.user_id, i.chat_id, i.kind, i.title, i.text, i.created_at
)
SELECT t.id, t.chat_id, t.kind, t.title, t.text, t.created_at, s.id AS subscription, s.endpoint, s.keys
FROM taken t
JOIN push_subscriptions s ON s.user_id = t.user_id

-- name: push.delivered
-- These entries were pushed, unless they have changed since.
UPDATE inbox i SET pushed_at = now()
FROM unnest($1::bigint[], $2::timestamptz[]) AS d (id, created_at)
WHERE i.id = d.id AND i.created_at = d.created_at

-- name: push.gone
-- A browser that is not there any more.
DELETE FROM push_subscriptions WHERE id = $1
