-- What authors publish, a row a post. A deleted one keeps its row, without the content, since its id stays used.

CREATE TABLE IF NOT EXISTS posts_g1 (
  author_id BIGINT UNSIGNED NOT NULL,
  post_id BIGINT UNSIGNED NOT NULL,
  type INT NOT NULL,
  score BIGINT NOT NULL,
  active TINYINT NOT NULL,
  version BIGINT NOT NULL,
  content VARBINARY(4096) NOT NULL,
  PRIMARY KEY (author_id, post_id),
  KEY page (author_id, active, score, post_id)
) ENGINE = InnoDB;

INSERT IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('posts', 1, 'folding', 1);
