-- name: invariants.driven
-- Chats that should be driven and were left alone for a minute although a replica is there.
SELECT id AS chat_id, format('%s since %s without an owner', status, updated_at) AS detail
FROM chats
WHERE status IN ('running', 'interrupting')
  AND worker_id IS NULL
  AND updated_at < now() - interval '1 minute'
  AND EXISTS (SELECT 1 FROM replicas WHERE capacity > 0 AND seen_at > now() - interval '1 minute')
LIMIT $1

-- name: invariants.gapless_history
-- Chats whose messages are not numbered from 1 to the newest without a gap.
SELECT chats.id AS chat_id, format('%s messages, the next would be %s', count(number), next_message) AS detail
FROM chats LEFT JOIN messages ON messages.chat_id = chats.id
GROUP BY chats.id
HAVING count(number) <> next_message - 1 OR coalesce(max(number), 0) <> next_message - 1
LIMIT $1

-- name: invariants.has_card
-- Chats that no list can show.
SELECT chats.id AS chat_id, 'it has no card' AS detail
FROM chats LEFT JOIN chat_cards ON chat_cards.id = chats.id
WHERE chat_cards.id IS NULL
LIMIT $1

-- name: invariants.living_owner
-- Chats that a replica owns which has not been seen for a minute.
SELECT chats.id AS chat_id, format('owned by replica %s, last seen %s', worker_id, coalesce(seen_at::text, 'never')) AS detail
FROM chats LEFT JOIN replicas ON replicas.id = worker_id
WHERE worker_id IS NOT NULL AND coalesce(seen_at, '-infinity') < now() - interval '1 minute'
LIMIT $1

-- name: invariants.queue_contents
-- Chats whose queue names messages that are not there, or the other way round.
WITH named AS (
    SELECT id AS chat_id, abs(unnest(queue)) AS number FROM chats
), kept AS (
    SELECT chat_id, number FROM queued_messages WHERE removed_in IS NULL
)
SELECT
    coalesce(named.chat_id, kept.chat_id) AS chat_id,
    CASE WHEN kept.number IS NULL
        THEN format('the queue names %s, which has no contents', named.number)
        ELSE format('%s has contents and is not in the queue', kept.number)
    END AS detail
FROM named FULL JOIN kept ON kept.chat_id = named.chat_id AND kept.number = named.number
WHERE named.number IS NULL OR kept.number IS NULL
LIMIT $1

-- name: invariants.revisions_seen
-- Messages that claim a change which the chat has not seen.
SELECT chats.id AS chat_id, format('message %s is of snapshot %s, the chat of %s', number, revision, snapshot_version) AS detail
FROM chats JOIN messages ON messages.chat_id = chats.id
WHERE revision > snapshot_version
LIMIT $1

-- name: invariants.valid_state
-- Chats whose status, queue and archive flag are in no valid combination.
SELECT id AS chat_id, format('status %s, %s queued, archived %s', status, cardinality(queue), archived) AS detail
FROM chats
WHERE status NOT IN ('waiting', 'running', 'interrupting', 'requires_action', 'error')
   OR (archived AND status NOT IN ('waiting', 'error'))
   OR (status = 'waiting' AND cardinality(queue) > 0)
LIMIT $1
