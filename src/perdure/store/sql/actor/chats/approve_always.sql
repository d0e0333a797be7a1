-- Never ask again about these tools in a chat of one's own.
UPDATE chat_cards k SET
    settings = jsonb_set(k.settings::jsonb, '{approvals}',
        coalesce(k.settings::jsonb -> 'approvals', '{}')
        || (SELECT coalesce(jsonb_object_agg(tool, 'auto'), '{}') FROM unnest($4::text[]) AS tool))::text,
    metadata_version = k.metadata_version + 1
WHERE k.id = $3 AND k.organisation_id = $2 AND k.owner_id = $1
RETURNING k.id
