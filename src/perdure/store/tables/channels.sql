-- name: channels.open
-- The way out of a channel: what tells it, with the sealed credential $6. Once there is one, its credential changes.
INSERT INTO webhooks AS w (owner_id, organisation_id, trigger_id, name, url, events, secret)
SELECT t.owner_id, t.organisation_id, t.id, $4, $5, $7, $6 FROM triggers t
WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3
ON CONFLICT (trigger_id) DO UPDATE SET secret = $6, enabled = true
RETURNING w.id

-- name: channels.add_code
-- A code of somebody's own, and only the newest.
WITH gone AS (DELETE FROM channel_codes WHERE user_id = $1)
INSERT INTO channel_codes (hash, user_id)
SELECT $3, u.id FROM users u WHERE u.id = $1 AND u.organisation_id = $2

-- name: channels.link
-- Whoever says a code in a channel is its owner from now on, where they are $7 or have one of the roles $8. The code is
-- used up.
WITH used AS (
    DELETE FROM channel_codes c USING users u
    WHERE c.hash = $4 AND c.created_at > now() - $6::interval AND u.id = c.user_id AND u.organisation_id = $1
        AND u.disabled_at IS NULL AND (u.id = $7 OR u.role = ANY ($8::text[]))
    RETURNING u.id, u.email
), linked AS (
    INSERT INTO channel_people (organisation_id, channel, external, name, user_id)
    SELECT $1, $2, $3, $5, u.id FROM used u
    ON CONFLICT (organisation_id, channel, external) DO UPDATE SET user_id = excluded.user_id, name = excluded.name
)
SELECT u.email FROM used u

-- name: channels.person
-- Who somebody of a channel is here.
SELECT u.id, u.organisation_id, u.role, coalesce(nullif(u.name, ''), split_part(u.email, '@', 1)) AS name
FROM channel_people p JOIN users u ON u.id = p.user_id
WHERE p.organisation_id = $1 AND p.channel = $2 AND p.external = $3 AND u.disabled_at IS NULL

-- name: channels.links
-- Who the caller is elsewhere.
SELECT p.channel, p.external, p.name, p.created_at FROM channel_people p
WHERE p.user_id = $1 AND p.organisation_id = $2 ORDER BY p.created_at

-- name: channels.unlink
-- The caller is somebody elsewhere no longer.
DELETE FROM channel_people p
WHERE p.user_id = $1 AND p.organisation_id = $2 AND p.channel = $3 AND p.external = $4 RETURNING p.external

-- name: channels.chat
-- The chat of a thread, if it has begun.
SELECT t.chat_id FROM trigger_threads t JOIN chats c ON c.id = t.chat_id WHERE t.trigger_id = $1 AND t.thread = $2

-- name: channels.place
-- For whom a chat $2 of a channel is told, and how the channel was set up.
SELECT c.owner_id, u.organisation_id, u.role, t.options
FROM webhooks w
JOIN triggers t ON t.id = w.trigger_id
JOIN chat_cards c ON c.id = $2
JOIN users u ON u.id = c.owner_id
WHERE w.id = $1

-- name: channels.share
-- Make a link $3 with the role $4 to the chat of a thread, the first time that somebody else speaks there.
WITH first AS (
    UPDATE trigger_threads t SET shared_at = now() FROM chat_cards k
    WHERE t.trigger_id = $1 AND t.thread = $2 AND t.shared_at IS NULL AND k.id = t.chat_id AND k.parent_id IS NULL
    RETURNING t.chat_id
)
INSERT INTO chat_links (id, chat_id, role) SELECT $3, f.chat_id, $4::text FROM first f ON CONFLICT (chat_id) DO NOTHING

-- name: channels.way_in
-- The link of a thread's chat, unless its owner has taken it back.
SELECT l.id FROM trigger_threads t JOIN chat_links l ON l.chat_id = t.chat_id WHERE t.trigger_id = $1 AND t.thread = $2
