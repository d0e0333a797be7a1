-- The line of the database's history on which a replica has said again what only it knew of the lines before. Calls that must
-- happen once wait for those that have not.
ALTER TABLE replicas ADD COLUMN line integer;
