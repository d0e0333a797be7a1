-- What those may do with whom a chat is shared: read it, write in it, or approve as well.
CREATE DOMAIN share_role AS text CHECK (VALUE IN ('read', 'write', 'approve'));
ALTER TABLE chat_shares ADD COLUMN role share_role NOT NULL DEFAULT 'read';
ALTER TABLE chat_links ADD COLUMN role share_role NOT NULL DEFAULT 'read';

-- With whom root chats are shared, person by person, groups resolved.
CREATE VIEW chat_people AS
SELECT s.chat_id, s.user_id, s.role FROM chat_shares s WHERE s.user_id IS NOT NULL
UNION ALL
SELECT s.chat_id, m.user_id, s.role FROM chat_shares s JOIN group_members m ON m.group_id = s.group_id;

-- Whether somebody may write in a chat: it is theirs, or shared with them for more than reading.
CREATE FUNCTION may_write(chat uuid, root uuid, owner uuid, writer uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT EXISTS (SELECT FROM users u WHERE u.id = writer AND u.disabled_at IS NULL) AND (owner = writer OR EXISTS (
        SELECT FROM chat_people p WHERE p.chat_id = coalesce(root, chat) AND p.user_id = writer AND p.role <> 'read'
    ))
$$;
