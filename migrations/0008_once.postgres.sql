-- What has become of a yes for one call: the call it is kept for, the call that used it, and when it was taken back. Counted, never timed.
ALTER TABLE asks ADD COLUMN IF NOT EXISTS kept_by text;
ALTER TABLE asks ADD COLUMN IF NOT EXISTS used_by text;
ALTER TABLE asks ADD COLUMN IF NOT EXISTS ended_at bigint;

-- As it is written by this program, key by key. A quote in somebody's name has a backslash before it.
CREATE OR REPLACE FUNCTION hallpass_is_once(answer text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT answer LIKE '%"until":"call"%'
$$;

-- Of those that were given before nobody can tell any more: whoever needs one asks again.
UPDATE asks SET ended_at = at WHERE hallpass_is_once(answer);

-- Those that can still be used, however many there were before.
CREATE INDEX IF NOT EXISTS asks_once ON asks (session_id, sequence)
WHERE hallpass_is_once(answer) AND used_by IS NULL AND ended_at IS NULL;
CREATE INDEX IF NOT EXISTS asks_used ON asks (session_id, used_by) WHERE used_by IS NOT NULL;
