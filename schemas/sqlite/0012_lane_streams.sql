-- A lane's key names the stream whose partition it is: a projection may read several. SQLite changes no key
-- of a table that is there.

ALTER TABLE progress RENAME TO progress_of_one;
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
  stream TEXT NOT NULL,
  PRIMARY KEY (projection, generation, "partition", stream)
) STRICT, WITHOUT ROWID;
INSERT INTO progress SELECT *, iif(projection = 'profiles', 'user-events', 'relation-events')
  FROM progress_of_one;
DROP TABLE progress_of_one;

CREATE TRIGGER progress_published_inserted BEFORE INSERT ON progress
  WHEN NEW.published_offset > NEW.event_offset
  BEGIN SELECT RAISE(ABORT, 'more is published than was decided'); END;

CREATE TRIGGER progress_published_updated BEFORE UPDATE ON progress
  WHEN NEW.published_offset > NEW.event_offset
  BEGIN SELECT RAISE(ABORT, 'more is published than was decided'); END;

ALTER TABLE outbox RENAME TO outbox_of_one;
CREATE TABLE outbox (
  projection TEXT NOT NULL,
  generation INTEGER NOT NULL,
  "partition" INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  next_offset INTEGER NOT NULL,
  outcomes BLOB NOT NULL,
  stream TEXT NOT NULL,
  PRIMARY KEY (projection, generation, "partition", stream, first_offset)
) STRICT;
INSERT INTO outbox SELECT *, 'relation-events' FROM outbox_of_one;
DROP TABLE outbox_of_one;

ALTER TABLE parked RENAME TO parked_of_one;
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
  stream TEXT NOT NULL,
  PRIMARY KEY (projection, "partition", record_offset, generation, stream)
) STRICT, WITHOUT ROWID;
INSERT INTO parked SELECT *, iif(projection = 'profiles', 'user-events', 'relation-events')
  FROM parked_of_one;
DROP TABLE parked_of_one;
