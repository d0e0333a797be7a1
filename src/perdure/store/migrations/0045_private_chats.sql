-- What is said in a chat of a channel is read wherever the channel is.
CREATE OR REPLACE FUNCTION is_private(root uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NOT EXISTS (SELECT FROM chat_shares s WHERE s.chat_id = root)
        AND NOT EXISTS (SELECT FROM chat_links l WHERE l.chat_id = root)
        AND NOT EXISTS (
            SELECT FROM trigger_threads t JOIN webhooks w ON w.trigger_id = t.trigger_id WHERE t.chat_id = root
        )
$$;
