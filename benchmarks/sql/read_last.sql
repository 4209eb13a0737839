-- By hand: the last messages of a session, newest first.
SELECT session_id, sequence, message_id, turn_number, role, content, metadata, details, created_at
FROM recollect.messages
WHERE owner_id = $1 AND session_id = $2
ORDER BY sequence DESC
LIMIT $3
