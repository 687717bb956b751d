-- When the granted directory was made: its inode may be given to another one. Null where nobody could tell, and in what was granted before.
ALTER TABLE grants ADD COLUMN IF NOT EXISTS born double precision;

-- As it was, with the birth of what is granted.
DROP FUNCTION IF EXISTS hallpass_settle(
  text, text, text, text, text, text, text, double precision, double precision, text, bigint, bigint, text[], text[], text[], text[]
);
CREATE OR REPLACE FUNCTION hallpass_settle(
  the_ask text, to_state text, its_answer text,
  grant_id text, grant_session text, grant_ask text, grant_path text, grant_dev double precision, grant_ino double precision,
  grant_born double precision,
  grant_by text, grant_at bigint, grant_expires bigint,
  call_ids text[], call_states text[], call_outputs text[],
  events text[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  its record;
BEGIN
  PERFORM FROM sessions WHERE id = (SELECT session_id FROM asks WHERE id = the_ask) FOR NO KEY UPDATE;
  UPDATE asks SET state = to_state, answer = its_answer WHERE id = the_ask AND state = 'open' RETURNING * INTO its;
  IF NOT FOUND THEN
    RETURN 'not-open';
  END IF;
  IF grant_id IS NOT NULL THEN
    IF grant_session <> its.session_id OR grant_ask <> its.id THEN
      RETURN 'wrong-session';
    END IF;
    UPDATE grants SET revoked_at = grant_at
    WHERE session_id = its.session_id AND hallpass_key(path) = hallpass_key(grant_path) AND path = grant_path AND revoked_at IS NULL;
    INSERT INTO grants (id, session_id, ask_id, path, dev, ino, born, given_by, at, expires)
    VALUES (grant_id, its.session_id, its.id, grant_path, grant_dev, grant_ino, grant_born, grant_by, grant_at, grant_expires);
    UPDATE sessions
    SET allowed_read_paths =
      CASE WHEN grant_path = ANY (allowed_read_paths) THEN allowed_read_paths ELSE allowed_read_paths || grant_path END
    WHERE id = its.session_id AND archived_at IS NULL;
    IF NOT FOUND THEN
      RETURN 'session-closed';
    END IF;
  END IF;
  -- What is not named joined since the caller looked: it is judged anew.
  UPDATE tool_calls AS waiting
  SET (state, output, kind, ask_id) = (
    SELECT coalesce(min(becomes.state), 'proposed'), min(becomes.output), NULL, NULL
    FROM (
      SELECT named.state, named.output
      FROM unnest(call_ids, call_states, call_outputs) WITH ORDINALITY AS named (id, state, output, place)
      WHERE named.id = waiting.id
      ORDER BY place
      LIMIT 1
    ) AS becomes
  )
  WHERE chat_id = its.chat_id AND ask_id = the_ask;
  PERFORM hallpass_record(events);
  RETURN 'done';
END $$;
