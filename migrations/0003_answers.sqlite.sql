-- What is looked at before somebody is asked: the asks of the last minute, and what was denied in the chat since the person last spoke.
CREATE INDEX asks_of_session_since ON asks (session_id, at);
CREATE INDEX asks_denied ON asks (chat_id, (answer ->> '$.at')) WHERE answer ->> '$.verdict' = 'deny';
