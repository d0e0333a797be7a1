-- What became of every due time.
SELECT schedule_id, due_at, last_due_at, times, state, detail, chat_id, begun_at FROM schedule_runs ORDER BY id
