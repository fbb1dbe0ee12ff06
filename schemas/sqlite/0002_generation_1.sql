-- The first generation of both projections. Rows stand in the order of their key, as InnoDB's do. An
-- index's name is its own in the whole file, so it carries its table's.

CREATE TABLE following_g1 (
  user_id INTEGER NOT NULL,
  target_id INTEGER NOT NULL,
  active INTEGER NOT NULL,
  since_ms INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (user_id, target_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX following_g1_page ON following_g1 (user_id, active, since_ms, target_id);

CREATE TABLE following_count_g1 (
  user_id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT;

CREATE TABLE fans_g1 (
  user_id INTEGER NOT NULL,
  fan_id INTEGER NOT NULL,
  active INTEGER NOT NULL,
  since_ms INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (user_id, fan_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX fans_g1_page ON fans_g1 (user_id, active, since_ms, fan_id);

CREATE TABLE fan_count_g1 (
  user_id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT;
