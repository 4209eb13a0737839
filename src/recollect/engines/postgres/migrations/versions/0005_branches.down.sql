-- Take branches away again, with the messages that only they had.

-- Whoever owns the tables is bound by their policies too, and sees no rows.
ALTER TABLE messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE turns NO FORCE ROW LEVEL SECURITY;
DELETE FROM messages WHERE NOT is_active;
DELETE FROM turns AS turn WHERE NOT EXISTS (
    SELECT FROM messages AS message
    WHERE message.owner_id = turn.owner_id
      AND message.session_id = turn.session_id
      AND message.turn_number = turn.turn_number
);
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE turns FORCE ROW LEVEL SECURITY;
ALTER TABLE api_keys DROP COLUMN memory;
ALTER TABLE sessions DROP COLUMN inactive_count;
ALTER TABLE turns DROP COLUMN parent_sequence;
ALTER TABLE messages DROP COLUMN is_active;
