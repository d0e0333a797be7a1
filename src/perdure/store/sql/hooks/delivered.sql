-- Note what a hook was asked and what it answered. A hook that was removed meanwhile leaves no line.
INSERT INTO hook_deliveries (hook_id, dispatch_id, event, chat_id, outcome, status, attempts, duration_ms, detail)
SELECT h.id, $2, $3, $4, $5, $6, $7, $8, $9 FROM hooks h WHERE h.id = $1
