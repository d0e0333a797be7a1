-- How many schedules or runs wait, and how many chats work.
SELECT (SELECT count(*) FROM schedules WHERE next_at <= now()) + (SELECT count(*) FROM schedule_runs WHERE state = 'due')
    + (SELECT count(*) FROM chats WHERE status NOT IN ('waiting', 'error'))
