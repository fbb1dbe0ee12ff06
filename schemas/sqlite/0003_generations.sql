-- Which generations these tables have, and which of them the projectors fold. One of following has
-- the decider's seat, or is to have it: it is handed over lane by lane. A side generation holds what
-- was appended until a moment, where it stays.

CREATE TABLE generations (
  projection TEXT NOT NULL CHECK (projection IN ('following', 'fans')),
  generation INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('loading', 'folding', 'side')),
  decides INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL DEFAULT 0,
  until_ms INTEGER,
  PRIMARY KEY (projection, generation)
) STRICT, WITHOUT ROWID;

INSERT INTO generations (projection, generation, state, decides) VALUES
  ('following', 1, 'folding', 1), ('fans', 1, 'folding', 0);
