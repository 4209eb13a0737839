-- Branches of a conversation: regenerated replies and edited questions are kept as siblings.

-- Whether a message is on the branch that is shown, which is all that windows are made of.
ALTER TABLE messages ADD COLUMN is_active boolean NOT NULL DEFAULT true;

-- The message that a turn follows, by its number, 0 for none; NULL for the end of the active
-- branch before it, so that nothing needs to be written as long as nobody leaves a branch.
ALTER TABLE turns ADD COLUMN parent_sequence bigint;

-- message_count and turn_count tell of the active branch; this is what lies beside it.
ALTER TABLE sessions ADD COLUMN inactive_count bigint NOT NULL DEFAULT 0;

-- The most memory that chats with a key may use.
ALTER TABLE api_keys ADD COLUMN memory text NOT NULL DEFAULT 'full'
    CHECK (memory IN ('off', 'read', 'full'));
