-- Which generation of each projection is read: a row where it is not the first. Beside the catalog, on
-- shard 0, and written with it. Until the next release the catalog's own columns are written too, for
-- readers of the release before.

CREATE TABLE IF NOT EXISTS catalog_reads (
  projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation INT NOT NULL,
  PRIMARY KEY (projection)
) ENGINE = InnoDB;

INSERT IGNORE INTO catalog_reads (projection, generation)
  SELECT 'following', following_generation FROM catalog;
INSERT IGNORE INTO catalog_reads (projection, generation)
  SELECT 'fans', fans_generation FROM catalog;
