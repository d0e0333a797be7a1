-- What left workspaces whose network is by permission, and what did not: counted once, whichever replica asks their proxies.
CREATE TABLE network_use (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    incarnation text NOT NULL,
    last bigint NOT NULL,
    allowed bigint NOT NULL,
    refused bigint NOT NULL
);
