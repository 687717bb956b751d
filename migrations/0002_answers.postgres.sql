-- An answer in one call instead of a dozen: what `src/store/asks.ts` does statement by statement, in the same order and under the same
-- locks. Each statement in a function of this kind sees what was committed before it began, as it would by itself.

-- At the end of the record, last in a transaction. `events` are canonical JSON; the hashes are those of `src/store/chain.ts`.
CREATE FUNCTION hallpass_record(events text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one text;
  head record;
BEGIN
  IF cardinality(events) = 0 THEN
    RETURN;
  END IF;
  SELECT * INTO head FROM audit_head FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the audit has lost its head' USING ERRCODE = 'data_corrupted';
  END IF;
  FOREACH one IN ARRAY events LOOP
    head.sequence := head.sequence + 1;
    head.hash := encode(sha256(convert_to('{"event":' || one || ',"previous":"' || head.hash || '"}', 'UTF8')), 'hex');
    INSERT INTO audit (sequence, event, hash) VALUES (head.sequence, one, head.hash);
  END LOOP;
  UPDATE audit_head SET sequence = head.sequence, hash = head.hash;
END $$;

-- An open ask becomes `to_state`. Says what came of it: `done`; `not-open`, and nothing was changed; `wrong-session` or
-- `session-closed`, and the transaction is to be rolled back. `grant_id` is null where nothing is granted.
CREATE FUNCTION hallpass_settle(
  the_ask text, to_state text, its_answer text,
  grant_id text, grant_session text, grant_ask text, grant_path text, grant_dev double precision, grant_ino double precision,
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
    INSERT INTO grants (id, session_id, ask_id, path, dev, ino, given_by, at, expires)
    VALUES (grant_id, its.session_id, its.id, grant_path, grant_dev, grant_ino, grant_by, grant_at, grant_expires);
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

-- What is looked at before somebody is asked: the asks of the last minute, and what was denied in the chat since the person last spoke.
CREATE INDEX asks_of_session_since ON asks (session_id, at);
CREATE INDEX asks_denied ON asks (chat_id, (hallpass_field(answer, 'at')::double precision)) WHERE hallpass_field(answer, 'verdict') = 'deny';
