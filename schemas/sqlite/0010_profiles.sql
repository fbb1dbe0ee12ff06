-- What users tell of themselves, a row a user; one that is deleted keeps its version, without the document.

CREATE TABLE profiles_g1 (
  user_id INTEGER PRIMARY KEY,
  deleted INTEGER NOT NULL DEFAULT 0,
  name BLOB NULL,
  avatar_url BLOB NULL,
  bio BLOB NULL,
  verified INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL
) STRICT;

-- The end of an account, as far as it has come: a row a deletion, of no generation.
CREATE TABLE erasures (
  user_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  asked_ms INTEGER NOT NULL,
  ends BLOB NOT NULL,
  stage INTEGER NOT NULL DEFAULT 1,
  is_open INTEGER NOT NULL DEFAULT 1,
  behind INTEGER NOT NULL DEFAULT 0,
  appended BLOB NULL,
  PRIMARY KEY (user_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX open_erasures ON erasures (is_open, user_id, version);

INSERT OR IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('profiles', 1, 'folding', 0);
