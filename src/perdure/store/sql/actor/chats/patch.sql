-- Change what the owner says about a chat: $4 title, $5 labels, $6 plan mode, $7 model, $8 effort, $9 workspace,
-- $10 pin, $11 client tools, $12 settings. Null leaves a column as it is; an empty text clears model and effort.
UPDATE chat_cards c SET
    title = coalesce($4, c.title),
    title_source = CASE WHEN $4::text IS NULL THEN c.title_source ELSE 'named' END,
    labels = coalesce($5::jsonb, c.labels),
    plan_mode = coalesce($6, c.plan_mode),
    model = CASE WHEN $7::text IS NULL THEN c.model ELSE nullif($7, '') END,
    effort = CASE WHEN $8::text IS NULL THEN c.effort ELSE nullif($8, '') END,
    workspace_id = coalesce($9, c.workspace_id),
    pin = coalesce($10, c.pin),
    client_tools = coalesce($11, c.client_tools),
    settings = CASE WHEN $12::text IS NULL THEN c.settings ELSE (c.settings::jsonb || $12::jsonb)::text END,
    metadata_version = c.metadata_version + 1
WHERE c.id = $3 AND c.organisation_id = $2 AND c.owner_id = $1
RETURNING c.metadata_version
