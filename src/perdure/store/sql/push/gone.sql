-- A browser that is not there any more.
DELETE FROM push_subscriptions WHERE id = $1
