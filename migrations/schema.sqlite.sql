-- Written by scripts/schema.ts from the migrations. Do not edit.

CREATE TABLE asks (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  chat_id TEXT NOT NULL REFERENCES chats (id),
  kind TEXT NOT NULL CHECK (kind IN ('pending_grant', 'pending_question')),
  state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'closed')),
  at INTEGER NOT NULL,
  -- JSON: the calls put to it, the paths they asked for, what was shown, and the answer.
  calls TEXT NOT NULL CHECK (json_valid(calls) AND json_type(calls) = 'array'),
  requested TEXT NOT NULL CHECK (json_valid(requested) AND json_type(requested) = 'array'),
  body TEXT NOT NULL CHECK (json_valid(body)),
  answer TEXT CHECK (answer IS NULL OR json_valid(answer)),
  -- Why it was closed without an answer.
  closed_why TEXT CHECK (closed_why IN ('withdrawn', 'stopped', 'expired', 'covered', 'changed', 'not-needed', 'session-ended', 'agent-left', 'idle')),
  -- What has become of a yes for one call: the call it is kept for, the call that used it, and when it was taken back.
  kept_by TEXT,
  used_by TEXT,
  ended_at INTEGER,
  -- JSON: a yes that was given on another machine than the one with the files. It waits here, as it was given, until that machine has judged it.
  waiting_yes TEXT,
  -- When the message whose call asked was rewound.
  rewound_at INTEGER,
  CHECK ((state = 'answered') = (answer IS NOT NULL)),
  CHECK ((state = 'closed') = (closed_why IS NOT NULL))
) STRICT;

CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,
  -- Canonical JSON. What is indexed is taken out of it, so that it cannot say otherwise.
  event TEXT NOT NULL CHECK (json_valid(event)),
  session_id TEXT NOT NULL GENERATED ALWAYS AS (event ->> '$.session') VIRTUAL,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  kind TEXT GENERATED ALWAYS AS (event ->> '$.kind') VIRTUAL,
  verdict TEXT GENERATED ALWAYS AS (event ->> '$.verdict') VIRTUAL,
  reason TEXT GENERATED ALWAYS AS (event ->> '$.reason') VIRTUAL,
  -- The grant that let a decision through, not one that was given or revoked.
  used_grant TEXT GENERATED ALWAYS AS (CASE event ->> '$.kind' WHEN 'decision' THEN event ->> '$.grant' END) VIRTUAL,
  at REAL GENERATED ALWAYS AS (event ->> '$.at') VIRTUAL
) STRICT;

CREATE TABLE audit_base (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE audit_head (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE audit_times (
  at INTEGER PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE browsers (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  push TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE chats (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('idle', 'running', 'waiting_for_input', 'failed', 'archived')),
  at INTEGER NOT NULL,
  -- As `provider/model`; null: the daemon's own.
  model TEXT,
  -- The call of another chat that started it.
  started_in TEXT REFERENCES chats (id),
  started_by TEXT,
  -- When a person put it out of the lists, until it is restored. That its session has ended is the status `archived`.
  archived_at INTEGER,
  -- When it was deleted: its messages are gone, and the row stays for the asks and grants that name it.
  deleted_at INTEGER,
  UNIQUE (started_in, started_by)
) STRICT;

CREATE TABLE credentials (
  digest TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  ask_id TEXT NOT NULL REFERENCES asks (id),
  path TEXT NOT NULL,
  -- As JavaScript has them: doubles.
  dev REAL NOT NULL,
  ino REAL NOT NULL,
  -- When the directory was made: its inode may be given to another one. Null where nobody could tell.
  born REAL,
  given_by TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE hallpass_migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL
) STRICT;

CREATE TABLE messages (
  sequence INTEGER PRIMARY KEY,
  chat_id TEXT NOT NULL REFERENCES chats (id),
  id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('person', 'agent', 'reminder', 'summary')),
  at INTEGER NOT NULL,
  -- JSON: the rest of the message, but for its calls.
  body TEXT NOT NULL,
  -- When the person went back to before it: it is kept, and no longer part of the conversation.
  rewound_at INTEGER,
  UNIQUE (chat_id, id)
) STRICT;

CREATE TABLE mounts (
  session_id TEXT NOT NULL REFERENCES sessions (id),
  position INTEGER NOT NULL,
  path TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('read_only', 'extend', 'sandboxed')),
  -- Looked up by path at each decision; with another index on the session SQLite would go through all of them.
  PRIMARY KEY (session_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE said (
  sequence INTEGER PRIMARY KEY,
  chat_id TEXT NOT NULL REFERENCES chats (id),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- JSON, as in the message it becomes.
  body TEXT NOT NULL,
  UNIQUE (chat_id, id)
) STRICT;

CREATE TABLE sessions (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project_id TEXT REFERENCES projects (id),
  parent_id TEXT REFERENCES sessions (id),
  workspace TEXT NOT NULL,
  asking TEXT NOT NULL CHECK (asking IN ('by-model', 'by-guard')),
  attended INTEGER NOT NULL CHECK (attended IN (0, 1)),
  -- Of a session that another program drives: which, its own name for it, and what people are shown.
  host TEXT,
  host_session TEXT,
  label TEXT,
  machine TEXT NOT NULL DEFAULT '',
  -- text[] in PostgreSQL: an array of different texts, in the order of the grants.
  allowed_read_paths TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(allowed_read_paths) AND json_type(allowed_read_paths) = 'array'),
  at INTEGER NOT NULL,
  archived_at INTEGER,
  CHECK (parent_id <> id),
  CHECK (archived_at IS NULL OR allowed_read_paths = '[]')
) STRICT;

CREATE TABLE tool_calls (
  chat_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- JSON, as the model gave it.
  input TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('proposed', 'started', 'waiting', 'done')),
  kind TEXT CHECK (kind IN ('pending_grant', 'pending_question')),
  ask_id TEXT REFERENCES asks (id),
  -- JSON: what the model will read.
  output TEXT,
  PRIMARY KEY (chat_id, id),
  UNIQUE (chat_id, message_id, position),
  FOREIGN KEY (chat_id, message_id) REFERENCES messages (chat_id, id),
  CHECK ((state = 'waiting') = (kind IS NOT NULL)),
  CHECK ((state = 'waiting') = (ask_id IS NOT NULL)),
  CHECK ((state = 'done') = (output IS NOT NULL))
) STRICT;

CREATE INDEX asks_about ON asks (
  session_id,
  (CASE WHEN body ->> '$.offers' = 'session' AND body ->> '$.proposal.dir' IS NOT NULL
    THEN 'root ' || (body ->> '$.proposal.dir')
    ELSE (body ->> '$.right') || ' ' || coalesce(body ->> '$.path', '') END),
  sequence
) WHERE kind = 'pending_grant';

CREATE INDEX asks_denied ON asks (chat_id, (answer ->> '$.at')) WHERE answer ->> '$.verdict' = 'deny';

CREATE INDEX asks_of_chat ON asks (chat_id, sequence);

CREATE INDEX asks_of_session ON asks (session_id, sequence);

CREATE INDEX asks_of_session_since ON asks (session_id, at);

CREATE INDEX asks_of_state ON asks (state, sequence);

CREATE INDEX asks_once ON asks (session_id, (body ->> '$.path'), sequence) WHERE answer ->> '$.until' = 'call' AND used_by IS NULL AND ended_at IS NULL;

CREATE INDEX asks_open ON asks (session_id, sequence) WHERE state = 'open';

CREATE INDEX asks_used ON asks (session_id, used_by) WHERE used_by IS NOT NULL;

CREATE INDEX audit_of_grant ON audit (used_grant, verdict, sequence) WHERE used_grant IS NOT NULL;

CREATE INDEX audit_of_kind ON audit (kind, verdict, sequence);

CREATE INDEX audit_of_reason ON audit (reason, sequence) WHERE reason IS NOT NULL;

CREATE INDEX audit_of_session ON audit (session_id, kind, verdict, sequence);

CREATE INDEX audit_reads ON audit (used_grant, verdict, at) WHERE used_grant IS NOT NULL;

CREATE INDEX browsers_owner ON browsers (owner, at, id);

CREATE INDEX chats_archived ON chats (sequence) WHERE archived_at IS NOT NULL AND deleted_at IS NULL;

CREATE INDEX chats_in_status ON chats (status, sequence);

CREATE INDEX chats_of_session ON chats (session_id, sequence);

CREATE INDEX chats_open ON chats (sequence) WHERE status <> 'archived' AND archived_at IS NULL AND deleted_at IS NULL;

CREATE INDEX grants_ending ON grants (expires) WHERE revoked_at IS NULL AND expires IS NOT NULL;

CREATE INDEX grants_given ON grants (sequence) WHERE revoked_at IS NULL;

CREATE UNIQUE INDEX grants_live ON grants (session_id, path) WHERE revoked_at IS NULL;

CREATE INDEX messages_of_chat ON messages (chat_id, sequence, rewound_at);

CREATE INDEX said_in_chat ON said (chat_id, sequence);

CREATE INDEX sessions_below ON sessions (parent_id, sequence) WHERE parent_id IS NOT NULL AND archived_at IS NULL;

CREATE INDEX sessions_ended ON sessions (sequence) WHERE archived_at IS NOT NULL;

CREATE INDEX sessions_of_host ON sessions (host, host_session, workspace) WHERE archived_at IS NULL;

CREATE INDEX sessions_open ON sessions (sequence) WHERE archived_at IS NULL;

CREATE INDEX tool_calls_waiting ON tool_calls (ask_id) WHERE ask_id IS NOT NULL;

CREATE TRIGGER audit_in_order BEFORE INSERT ON audit
WHEN NEW.sequence IS NOT (SELECT max(sequence, (SELECT coalesce(max(sequence), 0) FROM audit), (SELECT sequence FROM audit_base)) + 1 FROM audit_head)
BEGIN
  SELECT RAISE(ABORT, 'the audit is added to at its end');
END;

CREATE TRIGGER audit_not_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit is never changed');
END;

CREATE TRIGGER audit_not_deleted BEFORE DELETE ON audit
WHEN OLD.sequence > (SELECT sequence FROM audit_base)
BEGIN
  SELECT RAISE(ABORT, 'the audit is never deleted');
END;

CREATE TRIGGER audit_times_follow AFTER INSERT ON audit
WHEN NEW.at >= coalesce((SELECT max(at) + 10000 FROM audit_times), NEW.at)
BEGIN
  INSERT INTO audit_times (at, sequence) VALUES (CAST(NEW.at AS INTEGER), NEW.sequence);
END;

CREATE TRIGGER audit_base_goes_on BEFORE UPDATE ON audit_base
WHEN EXISTS (SELECT 1 FROM audit) AND (
  NEW.sequence <= OLD.sequence
  OR NEW.hash IS NOT (SELECT hash FROM audit WHERE sequence = NEW.sequence)
  OR NEW.sequence > coalesce((SELECT max(event ->> '$.last') FROM audit WHERE kind = 'archived' AND verdict IS NULL), 0))
BEGIN
  SELECT RAISE(ABORT, 'only what was archived leaves the audit');
END;

CREATE TRIGGER audit_base_is_one BEFORE INSERT ON audit_base
BEGIN
  SELECT RAISE(ABORT, 'the audit has one base');
END;

CREATE TRIGGER audit_base_not_deleted BEFORE DELETE ON audit_base
BEGIN
  SELECT RAISE(ABORT, 'the base of the audit is never deleted');
END;

CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON audit_head
WHEN NEW.sequence <= OLD.sequence
  OR NEW.sequence IS NOT (SELECT max(sequence) FROM audit)
  OR NEW.hash IS NOT (SELECT hash FROM audit WHERE sequence = NEW.sequence)
BEGIN
  SELECT RAISE(ABORT, 'the head of the audit follows its last row');
END;

CREATE TRIGGER audit_head_is_one BEFORE INSERT ON audit_head
BEGIN
  SELECT RAISE(ABORT, 'the audit has one head');
END;

CREATE TRIGGER audit_head_not_deleted BEFORE DELETE ON audit_head
BEGIN
  SELECT RAISE(ABORT, 'the head of the audit is never deleted');
END;

CREATE TRIGGER allowed_read_paths_inserted BEFORE INSERT ON sessions
WHEN (SELECT count(*) <> count(DISTINCT CASE type WHEN 'text' THEN value END) FROM json_each(NEW.allowed_read_paths))
BEGIN
  SELECT RAISE(ABORT, 'allowed_read_paths must be different texts');
END;

CREATE TRIGGER allowed_read_paths_updated BEFORE UPDATE OF allowed_read_paths ON sessions
WHEN (SELECT count(*) <> count(DISTINCT CASE type WHEN 'text' THEN value END) FROM json_each(NEW.allowed_read_paths))
BEGIN
  SELECT RAISE(ABORT, 'allowed_read_paths must be different texts');
END;
