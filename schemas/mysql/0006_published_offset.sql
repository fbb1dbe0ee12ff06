-- No more is published than was decided. Builds before this one could count outcomes twice that the
-- outbox of a rewound lane held. Such a lane halts; resumed it looks for its outcomes from the topic's
-- beginning on. MySQL has no ADD CONSTRAINT IF NOT EXISTS.

UPDATE progress SET state = 'halted', state_reason = 'published_ahead', owner_epoch = owner_epoch + 1,
  published_offset = 0, outcome_offset = 0 WHERE published_offset > event_offset;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.table_constraints WHERE
  constraint_schema = DATABASE() AND table_name = 'progress' AND constraint_name = 'progress_published');
SET @statement = IF(@missing,
  'ALTER TABLE progress ADD CONSTRAINT progress_published CHECK (published_offset <= event_offset)', 'DO 0');
PREPARE add_check FROM @statement;
EXECUTE add_check;
DEALLOCATE PREPARE add_check;
