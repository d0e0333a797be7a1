-- Let nobody sign in with a service any more. Who people were there is forgotten where no other service shares it.
DELETE FROM login_services WHERE organisation_id = $1 AND slug = $2 RETURNING slug
