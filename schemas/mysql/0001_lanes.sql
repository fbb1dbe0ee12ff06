-- What a shard keeps beside the generations' tables. A statement ends with a semicolon at the end of a
-- line; each can be run again, since a migration that was cut short starts over. The members of an
-- enum have the numbers that the code persists: append, never reorder.

CREATE TABLE IF NOT EXISTS progress (
  projection ENUM('following', 'fans') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation INT NOT NULL,
  `partition` INT NOT NULL,
  next_offset BIGINT NOT NULL DEFAULT 0,
  event_offset BIGINT NOT NULL DEFAULT 0,
  outcome_offset BIGINT NOT NULL DEFAULT 0,
  published_offset BIGINT NOT NULL DEFAULT 0,
  role ENUM('decides', 'applies') CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'applies',
  owner_epoch BIGINT UNSIGNED NOT NULL DEFAULT 0,
  owner_nonce BIGINT UNSIGNED NOT NULL DEFAULT 0,
  owner VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  -- The connection that wrote this row last: the one to end when its transaction holds the lane.
  owner_connection BIGINT UNSIGNED NOT NULL DEFAULT 0,
  state ENUM('running', 'paused', 'halted') CHARACTER SET ascii COLLATE ascii_bin NOT NULL
    DEFAULT 'running',
  state_reason VARCHAR(512) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  last_digest BIGINT UNSIGNED NOT NULL DEFAULT 0,
  updated_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (projection, generation, `partition`)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS outbox (
  projection ENUM('following', 'fans') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation INT NOT NULL,
  `partition` INT NOT NULL,
  first_offset BIGINT NOT NULL,
  next_offset BIGINT NOT NULL,
  outcomes LONGBLOB NOT NULL,
  PRIMARY KEY (projection, generation, `partition`, first_offset)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS parked (
  projection ENUM('following', 'fans') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `partition` INT NOT NULL,
  record_offset BIGINT NOT NULL,
  generation INT NOT NULL,
  reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  detail VARBINARY(512) NOT NULL DEFAULT '',
  event_id VARBINARY(64) NOT NULL DEFAULT '',
  record_key VARBINARY(255) NOT NULL DEFAULT '',
  appended_ms BIGINT NOT NULL DEFAULT 0,
  parked_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (projection, `partition`, record_offset, generation)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS repairs (
  mark BIGINT UNSIGNED NOT NULL,
  projection ENUM('following', 'fans') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation INT NOT NULL,
  user_id BIGINT UNSIGNED NOT NULL,
  other_id BIGINT UNSIGNED NOT NULL DEFAULT 0,
  reason VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  detail VARBINARY(512) NOT NULL DEFAULT '',
  repaired_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (mark, projection, generation, user_id, other_id)
) ENGINE = InnoDB;

-- One row, id 1, on shard 0 alone.
CREATE TABLE IF NOT EXISTS catalog (
  id TINYINT NOT NULL DEFAULT 1,
  partitions INT NOT NULL,
  shards INT NOT NULL,
  following_generation INT NOT NULL DEFAULT 1,
  fans_generation INT NOT NULL DEFAULT 1,
  updated_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) ENGINE = InnoDB;
