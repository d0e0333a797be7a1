-- Copy a chat that rests $2 times, with its card and its messages. The copies' ids.
WITH copied AS (
    INSERT INTO chats
    SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
    FROM chats c, generate_series(1, $2::integer) WHERE c.id = $1
    RETURNING id
), carded AS (
    INSERT INTO chat_cards
    SELECT (jsonb_populate_record(k, jsonb_build_object('id', o.id))).*
    FROM chat_cards k, copied o WHERE k.id = $1
    RETURNING id
), told AS (
    INSERT INTO messages
    SELECT (jsonb_populate_record(m, jsonb_build_object('chat_id', o.id))).*
    FROM messages m, copied o WHERE m.chat_id = $1
)
SELECT id FROM carded
