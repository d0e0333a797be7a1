-- Have the database count statements.
CREATE EXTENSION IF NOT EXISTS pg_stat_statements
