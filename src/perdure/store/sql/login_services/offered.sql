-- The services that people may sign in with.
SELECT slug, name FROM login_services WHERE enabled ORDER BY created_at, slug
