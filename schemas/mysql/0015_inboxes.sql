-- Inboxes of hybrid mode: of an owner a head and parts, how far each partition has been delivered to this shard,
-- and the authors of this shard whose posts are pulled. They are of no generation; a head says what it was made for.
-- `epoch`: how often hybrid mode was turned on.

CREATE TABLE IF NOT EXISTS inboxes (
  `partition` INT NOT NULL,
  owner_id BIGINT UNSIGNED NOT NULL,
  made TINYINT NOT NULL,
  maker BIGINT NOT NULL,
  stand VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  follows_at BIGINT NOT NULL,
  floor_score BIGINT NOT NULL,
  floor_author BIGINT UNSIGNED NOT NULL,
  floor_post BIGINT UNSIGNED NOT NULL,
  active_day INT NOT NULL,
  PRIMARY KEY (`partition`, owner_id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS inbox_parts (
  owner_id BIGINT UNSIGNED NOT NULL,
  source INT NOT NULL,
  upto BIGINT NOT NULL,
  bytes MEDIUMBLOB NOT NULL,
  PRIMARY KEY (owner_id, source, upto)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS inbox_progress (
  epoch INT NOT NULL,
  stream VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `partition` INT NOT NULL,
  next_record BIGINT NOT NULL,
  next_event BIGINT NOT NULL,
  PRIMARY KEY (epoch, stream, `partition`)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS inbox_pulled (
  author_id BIGINT UNSIGNED NOT NULL,
  since BIGINT NOT NULL,
  PRIMARY KEY (author_id)
) ENGINE = InnoDB;
