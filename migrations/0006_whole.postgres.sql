-- An answer as one statement, and with less work for the database in it.

-- `hallpass_settle` as a transaction of its own, without a `begin` and a `commit` around it: where it says that everything is to be rolled
-- back, this makes an error of it, and with the error the database does.
CREATE OR REPLACE FUNCTION hallpass_whole(came text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF came NOT IN ('done', 'not-open') THEN
    RAISE EXCEPTION '%', came USING ERRCODE = 'HP001';
  END IF;
  RETURN came;
END $$;

-- These two as they were, in another language: one that is understood once a connection. What stands in a generated column or an index and
-- is written in SQL is read anew for every row that is stored.
CREATE OR REPLACE FUNCTION hallpass_field(event text, name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN regexp_replace(event, '(\\\\)|\\(u0000|ud[89a-f][0-9a-f]{2})', '\\\\\2', 'g')::json ->> name;
END $$;

CREATE OR REPLACE FUNCTION hallpass_key(path text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN encode(sha256(convert_to(path, 'UTF8')), 'hex');
END $$;

-- As it was, with one insert however many events there are. Its trigger sees, with each row, those before it.
CREATE OR REPLACE FUNCTION hallpass_record(events text[]) RETURNS void LANGUAGE plpgsql AS $$
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
END $$;
