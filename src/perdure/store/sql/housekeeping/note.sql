-- Note what was removed because its time was over.
INSERT INTO audit (organisation_id, action, detail) VALUES ($1, $2, $3)
