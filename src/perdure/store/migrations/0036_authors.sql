-- Who says something, by the name of that moment, and for whom a chat works now.
ALTER TABLE messages ADD COLUMN author text;
ALTER TABLE queued_messages ADD COLUMN author text;
-- The author of the newest message of a user that entered the history: the turn acts as this person.
ALTER TABLE chats ADD COLUMN asked_by uuid;
-- Who stopped the turn, while it is being stopped.
ALTER TABLE chats ADD COLUMN stopped_by text;
