-- How many chats schedules began.
SELECT count(*) FROM chat_cards WHERE source = 'schedule'
