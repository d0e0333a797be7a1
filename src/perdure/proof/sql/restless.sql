-- How many chats are not at rest.
SELECT count(*) FROM chats WHERE status NOT IN ('waiting', 'error')
