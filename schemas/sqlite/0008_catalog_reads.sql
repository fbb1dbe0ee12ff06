-- Which generation of each projection is read: a row where it is not the first. Beside the catalog, and
-- written with it. Until the next release the catalog's own columns are written too, for the release
-- before.

CREATE TABLE catalog_reads (
  projection TEXT NOT NULL PRIMARY KEY,
  generation INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO catalog_reads (projection, generation)
  SELECT 'following', following_generation FROM catalog;
INSERT INTO catalog_reads (projection, generation)
  SELECT 'fans', fans_generation FROM catalog;
