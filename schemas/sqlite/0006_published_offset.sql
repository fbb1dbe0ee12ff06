-- No more is published than was decided. Builds before this one could count outcomes twice that the
-- outbox of a rewound lane held. Such a lane halts; resumed it looks for its outcomes from the topic's
-- beginning on. SQLite adds no check to a table that is there.

UPDATE progress SET state = 'halted', state_reason = 'published_ahead', owner_epoch = owner_epoch + 1,
  published_offset = 0, outcome_offset = 0 WHERE published_offset > event_offset;

CREATE TRIGGER progress_published_inserted BEFORE INSERT ON progress
  WHEN NEW.published_offset > NEW.event_offset
  BEGIN SELECT RAISE(ABORT, 'more is published than was decided'); END;

CREATE TRIGGER progress_published_updated BEFORE UPDATE ON progress
  WHEN NEW.published_offset > NEW.event_offset
  BEGIN SELECT RAISE(ABORT, 'more is published than was decided'); END;
