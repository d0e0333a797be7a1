-- name: server.version
-- Which Postgres it is.
SELECT current_setting('server_version')

-- name: server.privileges
-- Who we are to the server, and whether we may use and change the schema.
SELECT current_user::text AS role, current_schema()::text AS schema,
    has_schema_privilege(current_schema(), 'CREATE, USAGE') AS may

-- name: server.mark_session
-- Put a mark on this session.
SELECT set_config('perdure.probe', 'ours', false)

-- name: server.session_mark
-- The mark of this session, if it has one.
SELECT coalesce(current_setting('perdure.probe', true), '')

-- name: server.names_of_statements
-- What the statements are called that this session of the server has prepared.
SELECT name FROM pg_prepared_statements
