-- What a shard keeps beside the generations' tables. A statement ends with a semicolon at the end of a
-- line; a migration is one transaction. Unsigned 64-bit numbers (owner_epoch, owner_nonce, last_digest,
-- mark) are kept as the signed ones with the same bits.

CREATE TABLE progress (
  projection TEXT NOT NULL CHECK (projection IN ('following', 'fans')),
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
  PRIMARY KEY (projection, generation, "partition")
) STRICT, WITHOUT ROWID;

-- With a rowid: the outcomes of a batch are too long to stand in a key's tree.
CREATE TABLE outbox (
  projection TEXT NOT NULL CHECK (projection IN ('following', 'fans')),
  generation INTEGER NOT NULL,
  "partition" INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  next_offset INTEGER NOT NULL,
  outcomes BLOB NOT NULL,
  PRIMARY KEY (projection, generation, "partition", first_offset)
) STRICT;

CREATE TABLE parked (
  projection TEXT NOT NULL CHECK (projection IN ('following', 'fans')),
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

CREATE TABLE repairs (
  mark INTEGER NOT NULL,
  projection TEXT NOT NULL CHECK (projection IN ('following', 'fans')),
  generation INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  other_id INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  detail BLOB NOT NULL DEFAULT x'',
  repaired_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (mark, projection, generation, user_id, other_id)
) STRICT, WITHOUT ROWID;

-- One row, id 1, on shard 0 alone.
CREATE TABLE catalog (
  id INTEGER PRIMARY KEY,
  partitions INTEGER NOT NULL,
  shards INTEGER NOT NULL,
  following_generation INTEGER NOT NULL DEFAULT 1,
  fans_generation INTEGER NOT NULL DEFAULT 1,
  updated_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
