-- Which projections there are is the registry's to say: tables hold names. SQLite drops no check from a
-- table that is there, so six are made anew with the columns they had, in that order.

ALTER TABLE progress RENAME TO progress_of_two;
CREATE TABLE progress (
  projection TEXT NOT NULL,
  generation INTEGER NOT NULL,
  "partition" INTEGER NOT NULL,
  next_offset INTEGER NOT NULL DEFAULT 0,
  event_offset INTEGER NOT NULL DEFAULT 0,
  outcome_offset INTEGER NOT NULL DEFAULT 0,
  published_offset INTEGER NOT NULL DEFAULT 0,
  role TEXT NOT NULL DEFAULT 'applies' CHECK (role IN ('decides', 'applies')),
  owner_epoch INTEGER NOT NULL DEFAULT 0,
  owner_nonce INTEGER NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'halted')),
  state_reason TEXT NOT NULL DEFAULT '',
  last_digest INTEGER NOT NULL DEFAULT 0,
  updated_ms INTEGER NOT NULL DEFAULT 0,
  folded_offset INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (projection, generation, "partition")
) STRICT, WITHOUT ROWID;
INSERT INTO progress SELECT * FROM progress_of_two;
DROP TABLE progress_of_two;

ALTER TABLE outbox RENAME TO outbox_of_two;
CREATE TABLE outbox (
  projection TEXT NOT NULL,
  generation INTEGER NOT NULL,
  "partition" INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  next_offset INTEGER NOT NULL,
  outcomes BLOB NOT NULL,
  PRIMARY KEY (projection, generation, "partition", first_offset)
) STRICT;
INSERT INTO outbox SELECT * FROM outbox_of_two;
DROP TABLE outbox_of_two;

ALTER TABLE parked RENAME TO parked_of_two;
CREATE TABLE parked (
  projection TEXT NOT NULL,
  "partition" INTEGER NOT NULL,
  record_offset INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  reason TEXT NOT NULL,
  detail BLOB NOT NULL DEFAULT x'',
  event_id BLOB NOT NULL DEFAULT x'',
  record_key BLOB NOT NULL DEFAULT x'',
  appended_ms INTEGER NOT NULL DEFAULT 0,
  parked_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (projection, "partition", record_offset, generation)
) STRICT, WITHOUT ROWID;
INSERT INTO parked SELECT * FROM parked_of_two;
DROP TABLE parked_of_two;

ALTER TABLE repairs RENAME TO repairs_of_two;
CREATE TABLE repairs (
  mark INTEGER NOT NULL,
  projection TEXT NOT NULL,
  generation INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  other_id INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  detail BLOB NOT NULL DEFAULT x'',
  repaired_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (mark, projection, generation, user_id, other_id)
) STRICT, WITHOUT ROWID;
INSERT INTO repairs SELECT * FROM repairs_of_two;
DROP TABLE repairs_of_two;

ALTER TABLE generations RENAME TO generations_of_two;
CREATE TABLE generations (
  projection TEXT NOT NULL,
  generation INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('loading', 'folding', 'side')),
  decides INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL DEFAULT 0,
  until_ms INTEGER,
  PRIMARY KEY (projection, generation)
) STRICT, WITHOUT ROWID;
INSERT INTO generations SELECT * FROM generations_of_two;
DROP TABLE generations_of_two;

ALTER TABLE rebuild_loads RENAME TO rebuild_loads_of_two;
CREATE TABLE rebuild_loads (
  projection TEXT NOT NULL,
  generation INTEGER NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (projection, generation)
) STRICT, WITHOUT ROWID;
INSERT INTO rebuild_loads SELECT * FROM rebuild_loads_of_two;
DROP TABLE rebuild_loads_of_two;

CREATE TRIGGER progress_published_inserted BEFORE INSERT ON progress
  WHEN NEW.published_offset > NEW.event_offset
  BEGIN SELECT RAISE(ABORT, 'more is published than was decided'); END;

CREATE TRIGGER progress_published_updated BEFORE UPDATE ON progress
  WHEN NEW.published_offset > NEW.event_offset
  BEGIN SELECT RAISE(ABORT, 'more is published than was decided'); END;
