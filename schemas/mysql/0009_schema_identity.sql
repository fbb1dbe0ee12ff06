-- Which shard of which deployment the schema is: one row, id 1, in every schema, written by init and
-- compared on each connection. A copy under another deployment is given another id, and keeps whose
-- copy it is.

CREATE TABLE IF NOT EXISTS schema_identity (
  id TINYINT NOT NULL DEFAULT 1,
  deployment CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  renewed_from CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  shard INT NOT NULL,
  partitions INT NOT NULL,
  shards INT NOT NULL,
  created_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) ENGINE = InnoDB;
