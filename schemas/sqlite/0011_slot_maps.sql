-- Which shard each slot is on. A map is 1,024 rows, which never change; the first is written with the
-- catalog. A generation is of one map; all that is read are of the catalog's.

CREATE TABLE slot_maps (
  slot_map INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  shard INTEGER NOT NULL,
  PRIMARY KEY (slot_map, slot)
) STRICT, WITHOUT ROWID;

ALTER TABLE generations ADD COLUMN slot_map INTEGER NOT NULL DEFAULT 1;
ALTER TABLE catalog ADD COLUMN slot_map INTEGER NOT NULL DEFAULT 1;
