-- Templates that an organisation brought, and what each workspace keeps of the one that it was made from.

CREATE TABLE templates (
    organisation_id uuid NOT NULL REFERENCES organisations,
    name text NOT NULL,
    -- The file template.toml, as it was written.
    recipe text NOT NULL,
    readme text NOT NULL,
    -- Paths and contents, packed.
    files bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, name)
);

ALTER TABLE workspaces
    -- How it runs, as one JSON object: a template that changes or goes takes nothing from its workspaces.
    ADD COLUMN plan text,
    ADD COLUMN ttl_minutes integer NOT NULL DEFAULT 120;
