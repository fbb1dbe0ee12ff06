-- The last record that a lane knows of the event topic, and of the topic that is applied, each with its offset and
-- the digest of its key and value (0: none is known): by them a log is told from another before anybody acts on it.
-- last_digest is kept for a build of before. MySQL has no ADD COLUMN IF NOT EXISTS.

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'progress' AND column_name = 'event_mark');
SET @statement = IF(@missing,
  'ALTER TABLE progress ADD COLUMN event_mark BIGINT NOT NULL DEFAULT 0, ADD COLUMN event_digest BIGINT UNSIGNED NOT NULL DEFAULT 0, ADD COLUMN applied_mark BIGINT NOT NULL DEFAULT 0, ADD COLUMN applied_digest BIGINT UNSIGNED NOT NULL DEFAULT 0',
  'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;

UPDATE progress SET event_mark = next_offset - 1, event_digest = last_digest
  WHERE role = 'decides' AND last_digest <> 0 AND event_digest = 0;
UPDATE progress SET applied_mark = next_offset - 1, applied_digest = last_digest
  WHERE role = 'applies' AND last_digest <> 0 AND applied_digest = 0;

-- Which log the deployment's tables are folded from (EventLog::Id).
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'catalog' AND column_name = 'log_id');
SET @statement = IF(@missing,
  'ALTER TABLE catalog ADD COLUMN log_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;
