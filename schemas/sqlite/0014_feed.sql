-- What was shown to owners of feeds, a row for each time, and when each last looked: shown_id 0, without an author.
-- One that is forgotten keeps its row, so that older events do not bring it back.

CREATE TABLE shown_g1 (
  owner_id INTEGER NOT NULL,
  shown_id INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  post_id INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  active INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (owner_id, shown_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX shown_g1_page ON shown_g1 (owner_id, active, version, author_id, post_id);
CREATE INDEX shown_g1_of_post ON shown_g1 (owner_id, author_id, post_id, active, version);

INSERT OR IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('feed', 1, 'folding', 0);
