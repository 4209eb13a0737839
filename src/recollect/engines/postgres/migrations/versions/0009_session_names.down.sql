-- Names stay; where they come from is no longer known.

ALTER TABLE sessions DROP COLUMN name_turn;
