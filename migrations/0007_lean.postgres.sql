-- An answer with less work for the database. What is promised of the rows is as it was; it is told in ways that a connection understands
-- once, where a generated column, a check and an expression in an index are read and prepared anew by every statement that writes.

-- As it was. Hardly any text has an escape in it, and then there is nothing to look for.
CREATE OR REPLACE FUNCTION hallpass_field(event text, name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF strpos(event, '\') = 0 THEN
    RETURN event::json ->> name;
  END IF;
  RETURN regexp_replace(event, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g')::json ->> name;
END $$;

-- The record: what is indexed is taken out of the event by the trigger that every row goes through, so that it still cannot say otherwise.
ALTER TABLE audit
  ALTER COLUMN session_id DROP EXPRESSION,
  ALTER COLUMN kind DROP EXPRESSION,
  ALTER COLUMN verdict DROP EXPRESSION,
  ALTER COLUMN reason DROP EXPRESSION,
  ALTER COLUMN used_grant DROP EXPRESSION,
  ALTER COLUMN at DROP EXPRESSION,
  DROP CONSTRAINT audit_event_check,
  DROP CONSTRAINT audit_hash_check;

CREATE OR REPLACE FUNCTION hallpass_audit_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  its jsonb;
BEGIN
  IF NEW.sequence IS DISTINCT FROM (SELECT greatest(sequence, (SELECT max(sequence) FROM audit)) + 1 FROM audit_head) THEN
    RAISE EXCEPTION 'the audit is added to at its end';
  END IF;
  IF strpos(NEW.event, '\') = 0 THEN
    its := NEW.event;
  ELSE
    its := regexp_replace(NEW.event, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g');
  END IF;
  IF jsonb_typeof(its) IS DISTINCT FROM 'object' OR length(NEW.hash) IS DISTINCT FROM 64 THEN
    RAISE EXCEPTION 'a record is an object and its hash' USING ERRCODE = 'check_violation';
  END IF;
  NEW.session_id := its ->> 'session';
  NEW.kind := left(its ->> 'kind', 100);
  NEW.verdict := left(its ->> 'verdict', 100);
  NEW.reason := left(its ->> 'reason', 100);
  NEW.used_grant := CASE its ->> 'kind' WHEN 'decision' THEN its ->> 'grant' END;
  NEW.at := its ->> 'at';
  RETURN NEW;
END $$;

-- What an ask is about, and when it was denied, if it was: one function each, which reads its text once. What stands in an index may be
-- worked out where no schema is looked through, so they call none of ours.
CREATE FUNCTION hallpass_about(body text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  its jsonb;
BEGIN
  IF strpos(body, '\') = 0 THEN
    its := body;
  ELSE
    its := regexp_replace(body, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g');
  END IF;
  RETURN encode(sha256(convert_to(CASE WHEN its ->> 'offers' = 'session' AND its ->> 'proposal' IS NOT NULL
    THEN 'root ' || (its -> 'proposal' ->> 'dir')
    ELSE (its ->> 'right') || ' ' || coalesce(its ->> 'path', '') END, 'UTF8')), 'hex');
END $$;

CREATE FUNCTION hallpass_denied_at(answer text) RETURNS double precision LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  its jsonb;
BEGIN
  IF strpos(answer, '\') = 0 THEN
    its := answer;
  ELSE
    its := regexp_replace(answer, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g');
  END IF;
  RETURN CASE its ->> 'verdict' WHEN 'deny' THEN its ->> 'at' END;
END $$;

DROP INDEX asks_about;
DROP INDEX asks_denied;
CREATE INDEX asks_about ON asks (session_id, hallpass_about(body), sequence) WHERE kind = 'pending_grant';
CREATE INDEX asks_denied ON asks (chat_id, hallpass_denied_at(answer)) WHERE hallpass_denied_at(answer) IS NOT NULL;

-- Each index of these is a question that another one answers. Those that wait, of a session and of a chat of it, have one; all others are
-- found among all of the session's or the chat's, of which nearly all are answered. The live grants are found by `grants_live`.
DROP INDEX asks_of_chat_in_state;
DROP INDEX asks_of_session_in_state;
CREATE INDEX asks_open ON asks (session_id, sequence) WHERE state = 'open';
DROP INDEX grants_live_of_session;
DROP INDEX grants_live_of_all;

-- The same checks, one a table.
CREATE FUNCTION hallpass_is_ask(kind text, state text, calls text, requested text, body text, answer text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN kind IN ('pending_grant', 'pending_question')
    AND state IN ('open', 'answered', 'closed')
    AND json_typeof(calls::json) = 'array'
    AND json_typeof(requested::json) = 'array'
    AND json_typeof(body::json) = 'object'
    AND (answer IS NULL OR json_typeof(answer::json) = 'object')
    AND (state = 'answered') = (answer IS NOT NULL);
END $$;

CREATE FUNCTION hallpass_is_call(state text, kind text, ask text, output text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN state IN ('proposed', 'started', 'waiting', 'done')
    AND (kind IS NULL OR kind IN ('pending_grant', 'pending_question'))
    AND (state = 'waiting') = (kind IS NOT NULL)
    AND (state = 'waiting') = (ask IS NOT NULL)
    AND (state = 'done') = (output IS NOT NULL);
END $$;

CREATE FUNCTION hallpass_is_session(id text, parent text, asking text, attended smallint, archived_at bigint, paths text[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (parent IS NULL OR parent <> id)
    AND asking IN ('by-model', 'by-guard')
    AND attended IN (0, 1)
    AND (archived_at IS NULL OR paths = '{}');
END $$;

ALTER TABLE asks
  DROP CONSTRAINT asks_answer_check,
  DROP CONSTRAINT asks_body_check,
  DROP CONSTRAINT asks_calls_check,
  DROP CONSTRAINT asks_check,
  DROP CONSTRAINT asks_kind_check,
  DROP CONSTRAINT asks_requested_check,
  DROP CONSTRAINT asks_state_check,
  ADD CONSTRAINT asks_are_whole CHECK (hallpass_is_ask(kind, state, calls, requested, body, answer));
ALTER TABLE tool_calls
  DROP CONSTRAINT tool_calls_check,
  DROP CONSTRAINT tool_calls_check1,
  DROP CONSTRAINT tool_calls_check2,
  DROP CONSTRAINT tool_calls_kind_check,
  DROP CONSTRAINT tool_calls_state_check,
  ADD CONSTRAINT tool_calls_are_whole CHECK (hallpass_is_call(state, kind, ask_id, output));
ALTER TABLE sessions
  DROP CONSTRAINT sessions_asking_check,
  DROP CONSTRAINT sessions_attended_check,
  DROP CONSTRAINT sessions_check,
  DROP CONSTRAINT sessions_check1,
  ADD CONSTRAINT sessions_are_whole CHECK (hallpass_is_session(id, parent_id, asking, attended, archived_at, allowed_read_paths));

-- As it was; one text is different from all others.
CREATE OR REPLACE FUNCTION hallpass_allowed_read_paths() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(NEW.allowed_read_paths) = 1 AND array_position(NEW.allowed_read_paths, NULL) IS NULL THEN
    RETURN NEW;
  END IF;
  IF (SELECT count(*) <> count(DISTINCT path) FROM unnest(NEW.allowed_read_paths) AS path) THEN
    RAISE EXCEPTION 'allowed_read_paths must be different texts';
  END IF;
  RETURN NEW;
END $$;

-- As it was, with less to put together for the calls.
CREATE OR REPLACE FUNCTION hallpass_settle(
  the_ask text,
  to_state text,
  its_answer text,
  grant_id text,
  grant_session text,
  grant_ask text,
  grant_path text,
  grant_dev double precision,
  grant_ino double precision,
  grant_born double precision,
  grant_by text,
  grant_at bigint,
  grant_expires bigint,
  call_ids text[],
  call_states text[],
  call_outputs text[],
  events text[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  its record;
BEGIN
  PERFORM FROM sessions WHERE id = (SELECT session_id FROM asks WHERE id = the_ask) FOR NO KEY UPDATE;
  UPDATE asks SET state = to_state, answer = its_answer WHERE id = the_ask AND state = 'open' RETURNING id, session_id, chat_id INTO its;
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
  -- What is said of a call first counts. What is not named joined since the caller looked: it is judged anew.
  UPDATE tool_calls
  SET state = coalesce(call_states[array_position(call_ids, id)], 'proposed'),
    output = call_outputs[array_position(call_ids, id)],
    kind = NULL,
    ask_id = NULL
  WHERE chat_id = its.chat_id AND ask_id = the_ask;
  PERFORM hallpass_record(events);
  RETURN 'done';
END $$;
