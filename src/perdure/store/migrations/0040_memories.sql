-- Facts that agents of later chats are told: a person's, or without an owner the whole organisation's. A label that is
-- not empty narrows one to chats that have it.
CREATE TABLE memories (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
    owner_id uuid REFERENCES users (id) ON DELETE CASCADE,
    label text NOT NULL DEFAULT '',
    text text NOT NULL CHECK (text <> '' AND char_length(text) <= 1000),
    by_agent boolean NOT NULL DEFAULT false,
    written_by uuid REFERENCES users (id) ON DELETE SET NULL,
    chat_id uuid REFERENCES chat_cards (id) ON DELETE SET NULL,
    message integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    document tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', text) || to_tsvector('simple', text)) STORED
);

CREATE UNIQUE INDEX memories_of_person ON memories (owner_id, label, md5(text)) WHERE owner_id IS NOT NULL;
CREATE UNIQUE INDEX memories_of_organisation ON memories (organisation_id, label, md5(text)) WHERE owner_id IS NULL;
CREATE INDEX memories_of_chat ON memories (chat_id) WHERE chat_id IS NOT NULL;
CREATE INDEX memories_document ON memories USING gin (document);

-- Whether the agents of a chat may be told what its owner alone knows: nobody else may read what they say.
CREATE FUNCTION is_private(root uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT NOT EXISTS (SELECT FROM chat_shares s WHERE s.chat_id = root)
        AND NOT EXISTS (SELECT FROM chat_links l WHERE l.chat_id = root)
$$;

-- Words that are looked for: any of them, as they stand or by their English stem.
CREATE FUNCTION any_word(words text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT replace(plainto_tsquery('english', words)::text, '&', '|')::tsquery
        || replace(plainto_tsquery('simple', words)::text, '&', '|')::tsquery
$$;
