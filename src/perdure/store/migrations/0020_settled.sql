-- The newest batch of spending that each replica has counted: one whose answer was lost is not counted again.
CREATE TABLE settled (
    replica_id uuid PRIMARY KEY,
    batch uuid NOT NULL,
    settled_at timestamptz NOT NULL DEFAULT now()
);
