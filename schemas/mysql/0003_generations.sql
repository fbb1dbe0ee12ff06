-- Which generations this shard has, and which of them its projectors fold. One of following has the
-- decider's seat, or is to have it: it is handed over lane by lane. A side generation holds what was
-- appended until a moment, where it stays.

CREATE TABLE IF NOT EXISTS generations (
  projection ENUM('following', 'fans') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation INT NOT NULL,
  state ENUM('loading', 'folding', 'side') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  decides TINYINT NOT NULL DEFAULT 0,
  created_ms BIGINT NOT NULL DEFAULT 0,
  until_ms BIGINT NULL,
  PRIMARY KEY (projection, generation)
) ENGINE = InnoDB;

INSERT IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('following', 1, 'folding', 1), ('fans', 1, 'folding', 0);
