-- The turn that a message of a session belongs to.
SELECT turn_number FROM messages
WHERE owner_id = $1 AND session_id = $2 AND message_id = $3
