-- The turn that a message of a session belongs to, and whether it is on the active branch.
SELECT turn_number, is_active FROM messages
WHERE owner_id = $1 AND session_id = $2 AND message_id = $3
