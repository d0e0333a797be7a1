-- Whether a chat only plans: it, or one of those that it works for.
WITH RECURSIVE up AS (
    SELECT parent_id, plan_mode FROM chat_cards WHERE id = $1
    UNION ALL
    SELECT k.parent_id, k.plan_mode FROM up JOIN chat_cards k ON k.id = up.parent_id
)
SELECT coalesce(bool_or(plan_mode), false) AS planning FROM up
