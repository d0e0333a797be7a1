-- Give somebody the role that their login service says. An owner stays one: a mistake must not lock everybody out.
UPDATE users SET role = $2 WHERE id = $1 AND role <> $2 AND role <> 'owner' RETURNING id
