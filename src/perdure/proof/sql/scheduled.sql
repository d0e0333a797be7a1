-- Every schedule, and when it is due next.
SELECT id, next_at FROM schedules
