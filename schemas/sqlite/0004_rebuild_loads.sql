-- How far a rebuild has loaded a generation, as its progress bar shows it, for the metrics.

CREATE TABLE rebuild_loads (
  projection TEXT NOT NULL CHECK (projection IN ('following', 'fans')),
  generation INTEGER NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (projection, generation)
) STRICT, WITHOUT ROWID;
