-- Tell somebody once what was archived for them.
INSERT INTO inbox (user_id, kind, title, text) VALUES ($1, 'digest', $2, $3)
