-- What a person said and the chat has not heard yet: it is kept here at once, and becomes a message when the chat comes to a point where it
-- can hear, in one transaction.
CREATE TABLE IF NOT EXISTS said (
  sequence INTEGER PRIMARY KEY,
  chat_id TEXT NOT NULL REFERENCES chats (id),
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- JSON, as in the message it becomes.
  body TEXT NOT NULL,
  UNIQUE (chat_id, id)
) STRICT;

CREATE INDEX IF NOT EXISTS said_in_chat ON said (chat_id, sequence);

-- A chat that has heard something and has not gone on with it runs: until now it was idle for a moment, and found by reading every chat.
UPDATE chats SET status = 'running'
WHERE status = 'idle' AND (
  SELECT role FROM messages WHERE chat_id = chats.id AND role IN ('person', 'agent') ORDER BY sequence DESC LIMIT 1
) = 'person';
