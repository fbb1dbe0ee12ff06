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

INSERT OR IGNORE INTO generations (projection, generation, state, decides) VALUES
  ('profiles', 1, 'folding', 0);
