-- Remove an archived root chat of one's own with its whole family.
DELETE FROM chats e
USING chat_cards k, chat_cards root, chats r
WHERE e.id = k.id AND (k.id = $3 OR k.root_id = $3)
    AND root.id = $3 AND root.owner_id = $1 AND root.organisation_id = $2 AND root.parent_id IS NULL
    AND r.id = root.id AND r.archived
RETURNING e.id
