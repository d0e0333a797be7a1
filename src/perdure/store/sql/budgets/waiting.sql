-- Chats that wait for a budget that is not their own, with who pays and since when.
SELECT c.id, c.action, c.updated_at, k.owner_id, k.organisation_id
FROM chats c
JOIN chat_cards k ON k.id = c.id
WHERE c.status = 'requires_action' AND coalesce(c.action_kind, c.action::jsonb ->> 'kind') = 'budget'
    AND c.action::jsonb ->> 'budget' <> 'chat'
