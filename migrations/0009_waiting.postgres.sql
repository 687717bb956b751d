-- A yes that was given on another machine than the one with the files: it waits here, as it was given, until that machine has judged it.
ALTER TABLE asks ADD COLUMN IF NOT EXISTS waiting_yes text;
