-- A lane's key names the stream whose partition it is: a projection may read several. The default is for who
-- knows no other stream: a build of before. MySQL has no ADD COLUMN IF NOT EXISTS; a key that is made again is
-- the same.

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'progress' AND column_name = 'stream');
SET @statement = IF(@missing, 'ALTER TABLE progress ADD COLUMN stream VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''relation-events''', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;
UPDATE progress SET stream = 'user-events' WHERE projection = 'profiles';
ALTER TABLE progress DROP PRIMARY KEY, ADD PRIMARY KEY (projection, generation, `partition`, stream);

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'outbox' AND column_name = 'stream');
SET @statement = IF(@missing, 'ALTER TABLE outbox ADD COLUMN stream VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''relation-events''', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;
ALTER TABLE outbox DROP PRIMARY KEY, ADD PRIMARY KEY (projection, generation, `partition`, stream, first_offset);

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE() AND
  table_name = 'parked' AND column_name = 'stream');
SET @statement = IF(@missing, 'ALTER TABLE parked ADD COLUMN stream VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''relation-events''', 'DO 0');
PREPARE add_column FROM @statement;
EXECUTE add_column;
DEALLOCATE PREPARE add_column;
UPDATE parked SET stream = 'user-events' WHERE projection = 'profiles';
ALTER TABLE parked DROP PRIMARY KEY, ADD PRIMARY KEY (projection, `partition`, record_offset, generation, stream);
