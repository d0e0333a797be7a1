-- Workspaces that were made ahead of their use, for templates that want some to stand ready.

CREATE TABLE warm_workspaces (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    template text NOT NULL,
    -- What the template said when it was made: one that changes makes others.
    version text NOT NULL,
    -- Which of those that are to stand ready. Two replicas that see the same gap fill it once.
    place integer NOT NULL,
    driver text NOT NULL,
    plan text NOT NULL,
    status text NOT NULL DEFAULT 'creating' CHECK (status IN ('creating', 'ready', 'leaving')),
    begun_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX warm_workspaces_place ON warm_workspaces (organisation_id, template, version, place)
    WHERE status <> 'leaving';
