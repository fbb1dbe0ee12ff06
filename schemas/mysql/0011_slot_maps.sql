-- Which shard each slot is on. A map is 1,024 rows beside the catalog, on shard 0, which never change;
-- `init` writes the first. A generation is of one map; all that is read are of the catalog's. MySQL has no
-- ADD COLUMN IF NOT EXISTS.

CREATE TABLE IF NOT EXISTS slot_maps (
  slot_map INT NOT NULL,
  slot INT NOT NULL,
  shard INT NOT NULL,
  PRIMARY KEY (slot_map, slot)
) ENGINE = InnoDB;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'generations' AND column_name = 'slot_map');
SET @statement = IF(@missing, 'ALTER TABLE generations ADD COLUMN slot_map INT NOT NULL DEFAULT 1', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'catalog' AND column_name = 'slot_map');
SET @statement = IF(@missing, 'ALTER TABLE catalog ADD COLUMN slot_map INT NOT NULL DEFAULT 1', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;
