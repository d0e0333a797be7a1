-- Parked parents that wait for an agent which rests or is gone: whoever should have woken them did not.
SELECT p.id FROM chats p
WHERE p.status = 'requires_action' AND coalesce(p.action_kind, p.action::jsonb ->> 'kind') = 'children'
    AND EXISTS (
        SELECT FROM jsonb_array_elements_text(p.action::jsonb -> 'children') AS awaited (id)
        LEFT JOIN chats k ON k.id = awaited.id::uuid
        WHERE k.id IS NULL OR k.status IN ('waiting', 'error')
    )
LIMIT $1
