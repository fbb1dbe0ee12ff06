-- What authors publish, a row a post. A deleted one keeps its row, without the content, since its id stays used.

CREATE TABLE posts_g1 (
  author_id INTEGER NOT NULL,
  post_id INTEGER NOT NULL,
  type INTEGER NOT NULL,
  score INTEGER NOT NULL,
  active INTEGER NOT NULL,
  version INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (author_id, post_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX posts_g1_page ON posts_g1 (author_id, active, score, post_id);

INSERT OR IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('posts', 1, 'folding', 1);
