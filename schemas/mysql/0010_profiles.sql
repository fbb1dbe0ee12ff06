-- What users tell of themselves, a row a user; one that is deleted keeps its version, without the document.

CREATE TABLE IF NOT EXISTS profiles_g1 (
  user_id BIGINT UNSIGNED NOT NULL,
  deleted TINYINT NOT NULL DEFAULT 0,
  name VARBINARY(256) NULL,
  avatar_url VARBINARY(2048) NULL,
  bio VARBINARY(4096) NULL,
  verified TINYINT NOT NULL DEFAULT 0,
  version BIGINT NOT NULL,
  PRIMARY KEY (user_id)
) ENGINE = InnoDB;

-- The end of an account, as far as it has come: a row a deletion, of no generation.
CREATE TABLE IF NOT EXISTS erasures (
  user_id BIGINT UNSIGNED NOT NULL,
  version BIGINT NOT NULL,
  asked_ms BIGINT NOT NULL,
  ends MEDIUMBLOB NOT NULL,
  stage TINYINT NOT NULL DEFAULT 1,
  is_open TINYINT NOT NULL DEFAULT 1,
  behind BIGINT UNSIGNED NOT NULL DEFAULT 0,
  appended MEDIUMBLOB NULL,
  PRIMARY KEY (user_id, version),
  KEY open_erasures (is_open, user_id, version)
) ENGINE = InnoDB;

INSERT IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('profiles', 1, 'folding', 0);
