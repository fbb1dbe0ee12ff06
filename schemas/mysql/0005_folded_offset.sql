-- As far as a lane has ever come. A rewind leaves it: until the lane is back there, its rows are of no one
-- position. MySQL has no ADD COLUMN IF NOT EXISTS.

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'progress' AND column_name = 'folded_offset');
SET @statement = IF(@missing,
  'ALTER TABLE progress ADD COLUMN folded_offset BIGINT NOT NULL DEFAULT 0 AFTER event_offset', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;

UPDATE progress SET folded_offset = event_offset WHERE folded_offset < event_offset;
