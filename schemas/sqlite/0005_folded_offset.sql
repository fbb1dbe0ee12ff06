-- As far as a lane has ever come. A rewind leaves it: until the lane is back there, its rows are of no one
-- position.

ALTER TABLE progress ADD COLUMN folded_offset INTEGER NOT NULL DEFAULT 0;
UPDATE progress SET folded_offset = event_offset;
