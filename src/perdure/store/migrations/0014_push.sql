-- Pushing what is in inboxes to browsers: whoever takes an entry has a minute to deliver it.

ALTER TABLE inbox ADD COLUMN push_taken_at timestamptz;
CREATE INDEX push_subscriptions_by_endpoint ON push_subscriptions (endpoint);
