-- What was answered before for the same directory, or the same right on the same path: looked up for every card that is shown.
CREATE INDEX IF NOT EXISTS asks_about ON asks (
  session_id,
  hallpass_key(CASE WHEN hallpass_field(body, 'offers') = 'session' AND hallpass_field(body, 'proposal') IS NOT NULL
    THEN 'root ' || hallpass_field(hallpass_field(body, 'proposal'), 'dir')
    ELSE hallpass_field(body, 'right') || ' ' || coalesce(hallpass_field(body, 'path'), '') END),
  state,
  sequence
) WHERE kind = 'pending_grant';
