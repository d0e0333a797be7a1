-- People are told that somebody named them.
ALTER DOMAIN inbox_kind DROP CONSTRAINT inbox_kind_check;
ALTER DOMAIN inbox_kind ADD CONSTRAINT inbox_kind_check CHECK (
    VALUE IN ('finished', 'failed', 'needs_you', 'shared', 'digest', 'schedule_paused', 'mention')
);
