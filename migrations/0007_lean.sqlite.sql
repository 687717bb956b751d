-- Fewer pages for an answer: each index that it changes is one more to write, and each of these is a question that another one answers.

-- An ask's state changes once, and what it is about never: of the few asks about the same thing the state is looked at.
DROP INDEX asks_about;
CREATE INDEX asks_about ON asks (
  session_id,
  (CASE WHEN body ->> '$.offers' = 'session' AND body ->> '$.proposal.dir' IS NOT NULL
    THEN 'root ' || (body ->> '$.proposal.dir')
    ELSE (body ->> '$.right') || ' ' || coalesce(body ->> '$.path', '') END),
  sequence
) WHERE kind = 'pending_grant';

-- Those that wait, of a session and of a chat of it. All others are found among all of the session's or the chat's: nearly all are answered.
DROP INDEX asks_of_chat_in_state;
DROP INDEX asks_of_session_in_state;
CREATE INDEX asks_open ON asks (session_id, sequence) WHERE state = 'open';

-- A session has few chats: they are found among all of them.
DROP INDEX chats_of_session_in_status;

-- The live grants are found by `grants_live`, of one session and of all.
DROP INDEX grants_of_session;
DROP INDEX grants_live_of_session;
DROP INDEX grants_live_of_all;
