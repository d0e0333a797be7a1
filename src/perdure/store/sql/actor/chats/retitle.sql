-- Call a chat of one's own $4, as long as it is still called $5.
UPDATE chat_cards c SET title = $4, title_source = 'generated', metadata_version = c.metadata_version + 1
WHERE c.id = $3 AND c.organisation_id = $2 AND c.owner_id = $1 AND c.title = $5
RETURNING c.metadata_version
