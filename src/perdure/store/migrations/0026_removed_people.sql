-- Whether a chat is in a person's lists: it is theirs, or it or its root is shared with them or with a group of theirs.
CREATE FUNCTION is_listed_for(chat uuid, root uuid, owner uuid, reader uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT owner = reader OR EXISTS (
        SELECT FROM chat_shares s
        WHERE s.chat_id = coalesce(root, chat)
            AND (s.user_id = reader
                 OR s.group_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = reader))
    )
$$;

-- Whether a person may read a chat: it is in their lists, or its owner was removed and they look after the organisation.
CREATE OR REPLACE FUNCTION may_read(chat uuid, root uuid, owner uuid, reader uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT is_listed_for(chat, root, owner, reader) OR EXISTS (
        SELECT FROM users gone JOIN users admin ON admin.organisation_id = gone.organisation_id
        WHERE gone.id = owner AND gone.disabled_at IS NOT NULL
            AND admin.id = reader AND admin.role IN ('owner', 'admin') AND admin.disabled_at IS NULL
    )
$$;
