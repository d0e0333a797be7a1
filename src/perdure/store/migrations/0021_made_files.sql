-- How many files the tools of a chat made: they take no room from those that people attach.
ALTER TABLE chats ADD COLUMN made_file_count integer NOT NULL DEFAULT 0;
