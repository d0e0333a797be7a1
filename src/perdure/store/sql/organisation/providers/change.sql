-- Change a provider: $3 name, $4 address, $5 enabled, $6 options. Null leaves it as it is.
UPDATE providers p SET
    name = coalesce($3, p.name), base_url = coalesce($4, p.base_url), enabled = coalesce($5, p.enabled),
    options = coalesce($6, p.options)
WHERE p.organisation_id = $1 AND p.id = $2
RETURNING p.id, p.name, p.dialect, p.base_url, p.enabled, p.options,
    (SELECT k.secret FROM provider_keys k WHERE k.provider_id = p.id AND k.user_id IS NULL) AS secret
