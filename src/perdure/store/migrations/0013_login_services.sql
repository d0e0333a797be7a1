-- Login services: where people prove who they are by OpenID Connect.

CREATE TABLE login_services (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    -- Names it in addresses, for the whole deployment.
    slug text NOT NULL UNIQUE,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    -- The client's secret, encrypted; null for a public client.
    secret bytea,
    options text NOT NULL DEFAULT '{}',
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX login_services_of_organisation ON login_services (organisation_id, created_at);
