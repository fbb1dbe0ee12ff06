-- Which shard of which deployment the file is: one row, id 1. A copy under another deployment is
-- given another id, and keeps whose copy it is.

CREATE TABLE schema_identity (
  id INTEGER NOT NULL DEFAULT 1 CHECK (id = 1),
  deployment TEXT NOT NULL,
  renewed_from TEXT,
  shard INTEGER NOT NULL,
  partitions INTEGER NOT NULL,
  shards INTEGER NOT NULL,
  created_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) STRICT, WITHOUT ROWID;
