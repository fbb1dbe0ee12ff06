-- Which projections there are is the registry's to say: tables hold names. Each statement copies its
-- table, once: MODIFY to what a column is already changes nothing, so a migration that was cut short
-- goes on. Projectors stand still meanwhile.

ALTER TABLE progress MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE outbox MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE parked MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE repairs MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE generations MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE rebuild_loads MODIFY projection VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
