-- Remember up to which message somebody has read a chat that they may read. Whoever has read its last answer has read
-- what the inbox says of it, too: how many entries that were.
WITH marked AS (
    INSERT INTO read_markers (user_id, chat_id, number)
    SELECT $1, k.id, $4
    FROM cards k
    WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    ON CONFLICT (user_id, chat_id) DO UPDATE SET number = excluded.number
    RETURNING chat_id
), told AS (
    UPDATE inbox i SET read_at = now()
    FROM marked
    JOIN chats e ON e.id = marked.chat_id AND $4 > 0 AND $4 >= e.last_assistant
    WHERE i.user_id = $1 AND i.chat_id = marked.chat_id AND i.read_at IS NULL
    RETURNING i.id
)
SELECT count(*) AS told FROM told
