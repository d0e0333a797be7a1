-- The session at the database in which a run or a delivery was taken. Where it has ended, whoever took it need not be
-- waited for: nothing begins twice, as each is admitted under its own key.
ALTER TABLE schedule_runs ADD COLUMN taken_session integer;
ALTER TABLE trigger_deliveries ADD COLUMN taken_session integer;
