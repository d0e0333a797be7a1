-- The chat that started this one, or null.
SELECT parent_id FROM chat_cards WHERE id = $1
