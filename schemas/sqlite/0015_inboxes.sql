-- Inboxes of hybrid mode: of an owner a head and parts, how far each partition has been delivered to this shard,
-- and the authors of this shard whose posts are pulled. They are of no generation; a head says what it was made for.
-- `epoch`: how often hybrid mode was turned on.

CREATE TABLE inboxes (
  `partition` INTEGER NOT NULL,
  owner_id INTEGER NOT NULL,
  made INTEGER NOT NULL,
  maker INTEGER NOT NULL,
  stand TEXT NOT NULL,
  follows_at INTEGER NOT NULL,
  floor_score INTEGER NOT NULL,
  floor_author INTEGER NOT NULL,
  floor_post INTEGER NOT NULL,
  active_day INTEGER NOT NULL,
  PRIMARY KEY (`partition`, owner_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_parts (
  owner_id INTEGER NOT NULL,
  source INTEGER NOT NULL,
  upto INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (owner_id, source, upto)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_progress (
  epoch INTEGER NOT NULL,
  stream TEXT NOT NULL,
  `partition` INTEGER NOT NULL,
  next_record INTEGER NOT NULL,
  next_event INTEGER NOT NULL,
  PRIMARY KEY (epoch, stream, `partition`)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_pulled (
  author_id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (author_id)
) STRICT, WITHOUT ROWID;
