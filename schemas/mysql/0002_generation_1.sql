-- The first generation of both projections. Later ones are made alike: CREATE TABLE … LIKE.

CREATE TABLE IF NOT EXISTS following_g1 (
  user_id BIGINT UNSIGNED NOT NULL,
  target_id BIGINT UNSIGNED NOT NULL,
  active TINYINT NOT NULL,
  since_ms BIGINT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (user_id, target_id),
  KEY page (user_id, active, since_ms, target_id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS following_count_g1 (
  user_id BIGINT UNSIGNED NOT NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (user_id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS fans_g1 (
  user_id BIGINT UNSIGNED NOT NULL,
  fan_id BIGINT UNSIGNED NOT NULL,
  active TINYINT NOT NULL,
  since_ms BIGINT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (user_id, fan_id),
  KEY page (user_id, active, since_ms, fan_id)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS fan_count_g1 (
  user_id BIGINT UNSIGNED NOT NULL,
  n BIGINT NOT NULL,
  PRIMARY KEY (user_id)
) ENGINE = InnoDB;
