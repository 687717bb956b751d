-- Written by scripts/schema.ts from the migrations. Do not edit.

CREATE OR REPLACE FUNCTION hallpass_about(body text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION hallpass_allowed_read_paths()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF cardinality(NEW.allowed_read_paths) = 1 AND array_position(NEW.allowed_read_paths, NULL) IS NULL THEN
    RETURN NEW;
  END IF;
  IF (SELECT count(*) <> count(DISTINCT path) FROM unnest(NEW.allowed_read_paths) AS path) THEN
    RAISE EXCEPTION 'allowed_read_paths must be different texts';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_asked_for(body text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
BEGIN
  RETURN encode(sha256(convert_to(CASE WHEN strpos(body, '\') = 0 THEN body::json ->> 'path'
    ELSE regexp_replace(body, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g')::json ->> 'path' END, 'UTF8')), 'hex');
END $function$;

CREATE OR REPLACE FUNCTION hallpass_audit_base_goes_on()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM audit) AND (
    NEW.sequence <= OLD.sequence
    OR NEW.hash IS DISTINCT FROM (SELECT hash FROM audit WHERE sequence = NEW.sequence)
    OR NEW.sequence > coalesce(
      (SELECT max((hallpass_field(event, 'last'))::bigint) FROM audit WHERE kind = 'archived' AND verdict IS NULL), 0))
  THEN
    RAISE EXCEPTION 'only what was archived leaves the audit';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_audit_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.sequence > (SELECT sequence FROM audit_base) THEN
    RAISE EXCEPTION 'the audit is never deleted';
  END IF;
  RETURN OLD;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_audit_head_goes_on()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.sequence <= OLD.sequence
    OR NEW.sequence IS DISTINCT FROM (SELECT max(sequence) FROM audit)
    OR NEW.hash IS DISTINCT FROM (SELECT hash FROM audit WHERE sequence = NEW.sequence)
  THEN
    RAISE EXCEPTION 'the head of the audit follows its last row';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_audit_in_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  its jsonb;
BEGIN
  IF NEW.sequence IS DISTINCT FROM
    (SELECT greatest(sequence, (SELECT max(sequence) FROM audit), (SELECT sequence FROM audit_base)) + 1 FROM audit_head)
  THEN
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
  IF NEW.at >= coalesce((SELECT max(at) + 10000 FROM audit_times), NEW.at) THEN
    INSERT INTO audit_times (at, sequence) VALUES (NEW.at, NEW.sequence);
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_denied_at(answer text)
 RETURNS double precision
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
DECLARE
  its jsonb;
BEGIN
  IF strpos(answer, '\') = 0 THEN
    its := answer;
  ELSE
    its := regexp_replace(answer, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g');
  END IF;
  RETURN CASE its ->> 'verdict' WHEN 'deny' THEN its ->> 'at' END;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_field(event text, name text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
BEGIN
  IF strpos(event, '\') = 0 THEN
    RETURN event::json ->> name;
  END IF;
  RETURN regexp_replace(event, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g')::json ->> name;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_is_ask(kind text, state text, calls text, requested text, body text, answer text, closed_why text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN kind IN ('pending_grant', 'pending_question')
    AND state IN ('open', 'answered', 'closed')
    AND json_typeof(calls::json) = 'array'
    AND json_typeof(requested::json) = 'array'
    AND json_typeof(body::json) = 'object'
    AND (answer IS NULL OR json_typeof(answer::json) = 'object')
    AND (closed_why IS NULL OR closed_why IN ('withdrawn', 'stopped', 'expired', 'covered', 'changed', 'not-needed', 'session-ended', 'agent-left', 'idle'))
    AND (state = 'answered') = (answer IS NOT NULL)
    AND (state = 'closed') = (closed_why IS NOT NULL);
END $function$;

CREATE OR REPLACE FUNCTION hallpass_is_call(state text, kind text, ask text, output text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN state IN ('proposed', 'started', 'waiting', 'done')
    AND (kind IS NULL OR kind IN ('pending_grant', 'pending_question'))
    AND (state = 'waiting') = (kind IS NOT NULL)
    AND (state = 'waiting') = (ask IS NOT NULL)
    AND (state = 'done') = (output IS NOT NULL);
END $function$;

CREATE OR REPLACE FUNCTION hallpass_is_once(answer text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  SELECT answer LIKE '%"until":"call"%'
$function$;

CREATE OR REPLACE FUNCTION hallpass_is_session(id text, parent text, asking text, attended smallint, archived_at bigint, paths text[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN (parent IS NULL OR parent <> id)
    AND asking IN ('by-model', 'by-guard')
    AND attended IN (0, 1)
    AND (archived_at IS NULL OR paths = '{}');
END $function$;

CREATE OR REPLACE FUNCTION hallpass_key(path text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
BEGIN
  RETURN encode(sha256(convert_to(path, 'UTF8')), 'hex');
END $function$;

CREATE OR REPLACE FUNCTION hallpass_record(events text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  head record;
  hash_so_far text;
  hashes text[] := '{}';
BEGIN
  IF cardinality(events) = 0 THEN
    RETURN;
  END IF;
  SELECT * INTO head FROM audit_head FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the audit has lost its head' USING ERRCODE = 'data_corrupted';
  END IF;
  hash_so_far := head.hash;
  FOR place IN 1 .. cardinality(events) LOOP
    hash_so_far :=
      encode(sha256(convert_to('{"event":' || events[place] || ',"previous":"' || hash_so_far || '"}', 'UTF8')), 'hex');
    hashes[place] := hash_so_far;
  END LOOP;
  INSERT INTO audit (sequence, event, hash)
  SELECT head.sequence + added.place, added.event, added.hash
  FROM unnest(events, hashes) WITH ORDINALITY AS added (event, hash, place)
  ORDER BY added.place;
  UPDATE audit_head SET sequence = head.sequence + cardinality(events), hash = hash_so_far;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% of % is refused', TG_OP, TG_TABLE_NAME;
END $function$;

CREATE OR REPLACE FUNCTION hallpass_settle(the_ask text, to_state text, its_answer text, closed_for text, grant_id text, grant_session text, grant_ask text, grant_path text, grant_dev double precision, grant_ino double precision, grant_born double precision, grant_by text, grant_at bigint, grant_expires bigint, call_ids text[], call_states text[], call_outputs text[], events text[])
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  its record;
BEGIN
  PERFORM FROM sessions WHERE id = (SELECT session_id FROM asks WHERE id = the_ask) FOR NO KEY UPDATE;
  UPDATE asks SET state = to_state, answer = its_answer, closed_why = closed_for
  WHERE id = the_ask AND state = 'open'
  RETURNING id, session_id, chat_id INTO its;
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
    -- The network is nothing to be read.
    UPDATE sessions
    SET allowed_read_paths =
      CASE WHEN grant_path = 'network' OR grant_path = ANY (allowed_read_paths) THEN allowed_read_paths ELSE allowed_read_paths || grant_path END
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
END $function$;

CREATE OR REPLACE FUNCTION hallpass_whole(came text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF came NOT IN ('done', 'not-open') THEN
    RAISE EXCEPTION '%', came USING ERRCODE = 'HP001';
  END IF;
  RETURN came;
END $function$;

CREATE TABLE asks (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  id text NOT NULL,
  session_id text NOT NULL,
  chat_id text NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  at bigint NOT NULL,
  calls text NOT NULL,
  requested text NOT NULL,
  body text NOT NULL,
  answer text,
  closed_why text,
  kept_by text,
  used_by text,
  ended_at bigint,
  waiting_yes text,
  rewound_at bigint
);

CREATE TABLE audit (
  sequence bigint NOT NULL,
  event text NOT NULL,
  hash text NOT NULL,
  session_id text NOT NULL,
  kind text,
  verdict text,
  reason text,
  used_grant text,
  at double precision
);

CREATE TABLE audit_base (
  one integer NOT NULL,
  sequence bigint NOT NULL,
  hash text NOT NULL
);

CREATE TABLE audit_head (
  one integer NOT NULL,
  sequence bigint NOT NULL,
  hash text NOT NULL
);

CREATE TABLE audit_times (
  at double precision NOT NULL,
  sequence bigint NOT NULL
);

CREATE TABLE browsers (
  id text NOT NULL,
  digest text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  at bigint NOT NULL,
  seen_at bigint NOT NULL,
  push text
);

CREATE TABLE chats (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  id text NOT NULL,
  session_id text NOT NULL,
  title text NOT NULL,
  status text NOT NULL,
  at bigint NOT NULL,
  model text,
  started_in text,
  started_by text,
  archived_at bigint,
  deleted_at bigint
);

CREATE TABLE credentials (
  digest text NOT NULL,
  session_id text NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE grants (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  id text NOT NULL,
  session_id text NOT NULL,
  ask_id text NOT NULL,
  path text NOT NULL,
  dev double precision NOT NULL,
  ino double precision NOT NULL,
  given_by text NOT NULL,
  at bigint NOT NULL,
  expires bigint,
  revoked_at bigint,
  born double precision
);

CREATE TABLE hallpass_migrations (
  number integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL
);

CREATE TABLE messages (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  chat_id text NOT NULL,
  id text NOT NULL,
  role text NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL,
  rewound_at bigint
);

CREATE TABLE mounts (
  session_id text NOT NULL,
  "position" integer NOT NULL,
  path text NOT NULL,
  mode text NOT NULL
);

CREATE TABLE projects (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  id text NOT NULL,
  path text NOT NULL,
  name text NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE said (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  chat_id text NOT NULL,
  id text NOT NULL,
  at bigint NOT NULL,
  body text NOT NULL
);

CREATE TABLE sessions (
  sequence bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
  id text NOT NULL,
  project_id text,
  parent_id text,
  workspace text NOT NULL,
  asking text NOT NULL,
  attended smallint NOT NULL,
  host text,
  host_session text,
  label text,
  machine text NOT NULL,
  at bigint NOT NULL,
  archived_at bigint,
  allowed_read_paths text[] DEFAULT '{}'::text[] NOT NULL
);

CREATE TABLE tool_calls (
  chat_id text NOT NULL,
  message_id text NOT NULL,
  "position" integer NOT NULL,
  id text NOT NULL,
  name text NOT NULL,
  input text NOT NULL,
  state text NOT NULL,
  kind text,
  ask_id text,
  output text
);

ALTER TABLE asks ADD CONSTRAINT asks_are_whole CHECK (hallpass_is_ask(kind, state, calls, requested, body, answer, closed_why));

ALTER TABLE asks ADD CONSTRAINT asks_id_key UNIQUE (id);

ALTER TABLE asks ADD CONSTRAINT asks_pkey PRIMARY KEY (sequence);

ALTER TABLE audit ADD CONSTRAINT audit_pkey PRIMARY KEY (sequence);

ALTER TABLE audit_base ADD CONSTRAINT audit_base_one_check CHECK ((one = 1));

ALTER TABLE audit_base ADD CONSTRAINT audit_base_pkey PRIMARY KEY (one);

ALTER TABLE audit_head ADD CONSTRAINT audit_head_one_check CHECK ((one = 1));

ALTER TABLE audit_head ADD CONSTRAINT audit_head_pkey PRIMARY KEY (one);

ALTER TABLE audit_times ADD CONSTRAINT audit_times_pkey PRIMARY KEY (at);

ALTER TABLE browsers ADD CONSTRAINT browsers_digest_key UNIQUE (digest);

ALTER TABLE browsers ADD CONSTRAINT browsers_pkey PRIMARY KEY (id);

ALTER TABLE chats ADD CONSTRAINT chats_id_key UNIQUE (id);

ALTER TABLE chats ADD CONSTRAINT chats_pkey PRIMARY KEY (sequence);

ALTER TABLE chats ADD CONSTRAINT chats_started_in_started_by_key UNIQUE (started_in, started_by);

ALTER TABLE chats ADD CONSTRAINT chats_status_check CHECK ((status = ANY (ARRAY['idle'::text, 'running'::text, 'waiting_for_input'::text, 'failed'::text, 'archived'::text])));

ALTER TABLE credentials ADD CONSTRAINT credentials_pkey PRIMARY KEY (digest);

ALTER TABLE grants ADD CONSTRAINT grants_id_key UNIQUE (id);

ALTER TABLE grants ADD CONSTRAINT grants_pkey PRIMARY KEY (sequence);

ALTER TABLE hallpass_migrations ADD CONSTRAINT hallpass_migrations_pkey PRIMARY KEY (number);

ALTER TABLE messages ADD CONSTRAINT messages_chat_id_id_key UNIQUE (chat_id, id);

ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (sequence);

ALTER TABLE messages ADD CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['person'::text, 'agent'::text, 'reminder'::text, 'summary'::text])));

ALTER TABLE mounts ADD CONSTRAINT mounts_mode_check CHECK ((mode = ANY (ARRAY['read_only'::text, 'extend'::text, 'sandboxed'::text])));

ALTER TABLE mounts ADD CONSTRAINT mounts_pkey PRIMARY KEY (session_id, "position");

ALTER TABLE projects ADD CONSTRAINT projects_id_key UNIQUE (id);

ALTER TABLE projects ADD CONSTRAINT projects_pkey PRIMARY KEY (sequence);

ALTER TABLE said ADD CONSTRAINT said_chat_id_id_key UNIQUE (chat_id, id);

ALTER TABLE said ADD CONSTRAINT said_pkey PRIMARY KEY (sequence);

ALTER TABLE sessions ADD CONSTRAINT sessions_are_whole CHECK (hallpass_is_session(id, parent_id, asking, attended, archived_at, allowed_read_paths));

ALTER TABLE sessions ADD CONSTRAINT sessions_id_key UNIQUE (id);

ALTER TABLE sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (sequence);

ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_are_whole CHECK (hallpass_is_call(state, kind, ask_id, output));

ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_chat_id_message_id_position_key UNIQUE (chat_id, message_id, "position");

ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_pkey PRIMARY KEY (chat_id, id);

ALTER TABLE asks ADD CONSTRAINT asks_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chats(id);

ALTER TABLE asks ADD CONSTRAINT asks_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);

ALTER TABLE chats ADD CONSTRAINT chats_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);

ALTER TABLE chats ADD CONSTRAINT chats_started_in_fkey FOREIGN KEY (started_in) REFERENCES chats(id);

ALTER TABLE credentials ADD CONSTRAINT credentials_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);

ALTER TABLE grants ADD CONSTRAINT grants_ask_id_fkey FOREIGN KEY (ask_id) REFERENCES asks(id);

ALTER TABLE grants ADD CONSTRAINT grants_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);

ALTER TABLE messages ADD CONSTRAINT messages_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chats(id);

ALTER TABLE mounts ADD CONSTRAINT mounts_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);

ALTER TABLE said ADD CONSTRAINT said_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES chats(id);

ALTER TABLE sessions ADD CONSTRAINT sessions_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES sessions(id);

ALTER TABLE sessions ADD CONSTRAINT sessions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id);

ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_ask_id_fkey FOREIGN KEY (ask_id) REFERENCES asks(id);

ALTER TABLE tool_calls ADD CONSTRAINT tool_calls_chat_id_message_id_fkey FOREIGN KEY (chat_id, message_id) REFERENCES messages(chat_id, id);

CREATE INDEX asks_about ON asks USING btree (session_id, hallpass_about(body), sequence) WHERE (kind = 'pending_grant'::text);

CREATE INDEX asks_denied ON asks USING btree (chat_id, hallpass_denied_at(answer)) WHERE (hallpass_denied_at(answer) IS NOT NULL);

CREATE INDEX asks_of_chat ON asks USING btree (chat_id, sequence);

CREATE INDEX asks_of_session ON asks USING btree (session_id, sequence);

CREATE INDEX asks_of_session_since ON asks USING btree (session_id, at);

CREATE INDEX asks_of_state ON asks USING btree (state, sequence);

CREATE INDEX asks_once ON asks USING btree (session_id, hallpass_asked_for(body), sequence) WHERE (hallpass_is_once(answer) AND (used_by IS NULL) AND (ended_at IS NULL));

CREATE INDEX asks_open ON asks USING btree (session_id, sequence) WHERE (state = 'open'::text);

CREATE INDEX asks_used ON asks USING btree (session_id, used_by) WHERE (used_by IS NOT NULL);

CREATE INDEX audit_of_grant ON audit USING btree (used_grant, verdict, sequence) WHERE (used_grant IS NOT NULL);

CREATE INDEX audit_of_kind ON audit USING btree (kind, verdict, sequence);

CREATE INDEX audit_of_reason ON audit USING btree (reason, sequence) WHERE (reason IS NOT NULL);

CREATE INDEX audit_of_session ON audit USING btree (session_id, kind, verdict, sequence);

CREATE INDEX audit_reads ON audit USING btree (used_grant, verdict, at) WHERE (used_grant IS NOT NULL);

CREATE INDEX browsers_owner ON browsers USING btree (owner, at, id);

CREATE INDEX chats_archived ON chats USING btree (sequence) WHERE ((archived_at IS NOT NULL) AND (deleted_at IS NULL));

CREATE INDEX chats_in_status ON chats USING btree (status, sequence);

CREATE INDEX chats_of_session ON chats USING btree (session_id, sequence);

CREATE INDEX chats_open ON chats USING btree (sequence) WHERE ((status <> 'archived'::text) AND (archived_at IS NULL) AND (deleted_at IS NULL));

CREATE INDEX grants_ending ON grants USING btree (expires) WHERE ((revoked_at IS NULL) AND (expires IS NOT NULL));

CREATE INDEX grants_given ON grants USING btree (sequence) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX grants_live ON grants USING btree (session_id, hallpass_key(path)) WHERE (revoked_at IS NULL);

CREATE INDEX messages_of_chat ON messages USING btree (chat_id, sequence, rewound_at);

CREATE UNIQUE INDEX mounts_path ON mounts USING btree (session_id, hallpass_key(path));

CREATE UNIQUE INDEX projects_path ON projects USING btree (hallpass_key(path));

CREATE INDEX said_in_chat ON said USING btree (chat_id, sequence);

CREATE INDEX sessions_below ON sessions USING btree (parent_id, sequence) WHERE ((parent_id IS NOT NULL) AND (archived_at IS NULL));

CREATE INDEX sessions_ended ON sessions USING btree (sequence) WHERE (archived_at IS NOT NULL);

CREATE INDEX sessions_of_host ON sessions USING hash (host_session) WHERE (archived_at IS NULL);

CREATE INDEX sessions_open ON sessions USING btree (sequence) WHERE (archived_at IS NULL);

CREATE INDEX tool_calls_waiting ON tool_calls USING btree (ask_id) WHERE (ask_id IS NOT NULL);

CREATE TRIGGER allowed_read_paths_differ BEFORE INSERT OR UPDATE OF allowed_read_paths ON sessions FOR EACH ROW EXECUTE FUNCTION hallpass_allowed_read_paths();

CREATE TRIGGER audit_base_goes_on BEFORE UPDATE ON audit_base FOR EACH ROW EXECUTE FUNCTION hallpass_audit_base_goes_on();

CREATE TRIGGER audit_base_is_one BEFORE INSERT OR DELETE ON audit_base FOR EACH ROW EXECUTE FUNCTION hallpass_refuse();

CREATE TRIGGER audit_base_not_emptied BEFORE TRUNCATE ON audit_base FOR EACH STATEMENT EXECUTE FUNCTION hallpass_refuse();

CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON audit_head FOR EACH ROW EXECUTE FUNCTION hallpass_audit_head_goes_on();

CREATE TRIGGER audit_head_is_one BEFORE INSERT OR DELETE ON audit_head FOR EACH ROW EXECUTE FUNCTION hallpass_refuse();

CREATE TRIGGER audit_head_not_emptied BEFORE TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION hallpass_refuse();

CREATE TRIGGER audit_in_order BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION hallpass_audit_in_order();

CREATE TRIGGER audit_not_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION hallpass_refuse();

CREATE TRIGGER audit_not_deleted BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION hallpass_audit_deleted();

CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION hallpass_refuse();
