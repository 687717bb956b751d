-- What has become of a yes for one call: the call it is kept for, the call that used it, and when it was taken back. Counted, never timed.
ALTER TABLE asks ADD COLUMN kept_by TEXT;
ALTER TABLE asks ADD COLUMN used_by TEXT;
ALTER TABLE asks ADD COLUMN ended_at INTEGER;

-- Of those that were given before nobody can tell any more: whoever needs one asks again.
UPDATE asks SET ended_at = at WHERE answer ->> '$.until' = 'call';

-- Those that can still be used, however many there were before.
CREATE INDEX asks_once ON asks (session_id, sequence) WHERE answer ->> '$.until' = 'call' AND used_by IS NULL AND ended_at IS NULL;
CREATE INDEX asks_used ON asks (session_id, used_by) WHERE used_by IS NOT NULL;
