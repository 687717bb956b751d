-- Sessions that another program drives, credentials of agents, and an index for every question the store is asked, so that none of
-- them costs more the more is in it.

ALTER TABLE sessions ADD COLUMN host TEXT;
ALTER TABLE sessions ADD COLUMN host_session TEXT;
ALTER TABLE sessions ADD COLUMN label TEXT;
ALTER TABLE sessions ADD COLUMN machine TEXT NOT NULL DEFAULT '';

CREATE INDEX sessions_of_host ON sessions (host, host_session, workspace) WHERE archived_at IS NULL;

CREATE INDEX chats_in_status ON chats (status, sequence);
CREATE INDEX chats_of_session_in_status ON chats (session_id, status, sequence);
CREATE INDEX asks_of_session_in_state ON asks (session_id, state, sequence);
CREATE INDEX asks_of_chat_in_state ON asks (chat_id, state, sequence);
CREATE INDEX grants_live_of_session ON grants (session_id, sequence) WHERE revoked_at IS NULL;
CREATE INDEX grants_live_of_all ON grants (sequence) WHERE revoked_at IS NULL;

-- Taken out of the event, as `session_id` is. `used_grant` is the grant that let a decision through, not one that was given or revoked.
ALTER TABLE audit ADD COLUMN kind TEXT GENERATED ALWAYS AS (event ->> '$.kind') VIRTUAL;
ALTER TABLE audit ADD COLUMN verdict TEXT GENERATED ALWAYS AS (event ->> '$.verdict') VIRTUAL;
ALTER TABLE audit ADD COLUMN reason TEXT GENERATED ALWAYS AS (event ->> '$.reason') VIRTUAL;
ALTER TABLE audit ADD COLUMN used_grant TEXT GENERATED ALWAYS AS (CASE event ->> '$.kind' WHEN 'decision' THEN event ->> '$.grant' END) VIRTUAL;
ALTER TABLE audit ADD COLUMN at REAL GENERATED ALWAYS AS (event ->> '$.at') VIRTUAL;

CREATE INDEX audit_of_kind ON audit (kind, sequence);
CREATE INDEX audit_of_verdict ON audit (verdict, sequence) WHERE verdict IS NOT NULL;
CREATE INDEX audit_of_reason ON audit (reason, sequence) WHERE reason IS NOT NULL;
CREATE INDEX audit_of_session_and_reason ON audit (session_id, reason, sequence) WHERE reason IS NOT NULL;
CREATE INDEX audit_of_grant ON audit (used_grant, sequence) WHERE used_grant IS NOT NULL;
CREATE INDEX audit_reads ON audit (used_grant, verdict, at) WHERE used_grant IS NOT NULL;
CREATE INDEX audit_since ON audit (at, sequence);

-- Several events are added by one statement, and the head follows when they are in.
DROP TRIGGER audit_in_order;
CREATE TRIGGER audit_in_order BEFORE INSERT ON audit
WHEN NEW.sequence IS NOT (SELECT max(sequence, (SELECT coalesce(max(sequence), 0) FROM audit)) + 1 FROM audit_head)
BEGIN
  SELECT RAISE(ABORT, 'the audit is added to at its end');
END;

DROP TRIGGER audit_head_goes_on;
CREATE TRIGGER audit_head_goes_on BEFORE UPDATE ON audit_head
WHEN NEW.sequence <= OLD.sequence
  OR NEW.sequence IS NOT (SELECT max(sequence) FROM audit)
  OR NEW.hash IS NOT (SELECT hash FROM audit WHERE sequence = NEW.sequence)
BEGIN
  SELECT RAISE(ABORT, 'the head of the audit follows its last row');
END;

-- Only a digest: the credential itself is shown once and kept by its agent.
CREATE TABLE credentials (
  digest TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
