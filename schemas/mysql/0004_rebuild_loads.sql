-- How far a rebuild has loaded a generation, as its progress bar shows it. Kept on shard 0, for the
-- readers' metrics.

CREATE TABLE IF NOT EXISTS rebuild_loads (
  projection ENUM('following', 'fans') CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation INT NOT NULL,
  done BIGINT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (projection, generation)
) ENGINE = InnoDB;
