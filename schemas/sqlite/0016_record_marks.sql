-- The last record that a lane knows of the event topic, and of the topic that is applied, each with its offset and
-- the digest of its key and value (0: none is known): by them a log is told from another before anybody acts on it.
-- last_digest is kept for a build of before.

ALTER TABLE progress ADD COLUMN event_mark INTEGER NOT NULL DEFAULT 0;
ALTER TABLE progress ADD COLUMN event_digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE progress ADD COLUMN applied_mark INTEGER NOT NULL DEFAULT 0;
ALTER TABLE progress ADD COLUMN applied_digest INTEGER NOT NULL DEFAULT 0;
UPDATE progress SET event_mark = next_offset - 1, event_digest = last_digest
  WHERE role = 'decides' AND last_digest <> 0;
UPDATE progress SET applied_mark = next_offset - 1, applied_digest = last_digest
  WHERE role = 'applies' AND last_digest <> 0;

-- Which log the tables are folded from (EventLog::Id).
ALTER TABLE catalog ADD COLUMN log_id TEXT;
