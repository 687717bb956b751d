-- What was answered before for the same directory, or the same right on the same path: looked up for every card that is shown.
CREATE INDEX IF NOT EXISTS asks_about ON asks (
  session_id,
  (CASE WHEN body ->> '$.offers' = 'session' AND body ->> '$.proposal.dir' IS NOT NULL
    THEN 'root ' || (body ->> '$.proposal.dir')
    ELSE (body ->> '$.right') || ' ' || coalesce(body ->> '$.path', '') END),
  state,
  sequence
) WHERE kind = 'pending_grant';
