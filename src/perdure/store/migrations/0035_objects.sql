-- Bytes of files that are in object storage. A row is there before its object is, and until after it is gone: whatever
-- dies in between leaves nothing that nobody knows of. The id is part of the object's name, so that what comes late for
-- one of them, a write or a removal, never meets another with the same content.
CREATE TABLE objects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    size integer NOT NULL,
    state text NOT NULL DEFAULT 'writing' CHECK (state IN ('writing', 'stored', 'unused', 'removing')),
    since timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX objects_by_content ON objects (organisation_id, hash) WHERE state <> 'removing';
CREATE INDEX objects_to_remove ON objects (state, since) WHERE state IN ('unused', 'removing');

-- A file's content is in its row, or in an object.
ALTER TABLE files
    ALTER COLUMN content DROP NOT NULL,
    ADD COLUMN object_id bigint REFERENCES objects,
    ADD COLUMN moving_at timestamptz,
    ADD CONSTRAINT files_place_check CHECK ((content IS NULL) <> (object_id IS NULL));

CREATE INDEX files_by_object ON files (object_id) WHERE object_id IS NOT NULL;
CREATE INDEX files_in_rows ON files (size) WHERE object_id IS NULL;
