-- What was shown to owners of feeds, a row for each time, and when each last looked: shown_id 0, without an author.
-- One that is forgotten keeps its row, so that older events do not bring it back.

CREATE TABLE IF NOT EXISTS shown_g1 (
  owner_id BIGINT UNSIGNED NOT NULL,
  shown_id BIGINT UNSIGNED NOT NULL,
  author_id BIGINT UNSIGNED NOT NULL,
  post_id BIGINT UNSIGNED NOT NULL,
  at_ms BIGINT NOT NULL,
  active TINYINT NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (owner_id, shown_id),
  KEY page (owner_id, active, version, author_id, post_id),
  KEY of_post (owner_id, author_id, post_id, active, version)
) ENGINE = InnoDB;

INSERT IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('feed', 1, 'folding', 0);
