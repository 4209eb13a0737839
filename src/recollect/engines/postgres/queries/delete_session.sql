-- Delete a session; its turns and messages go with it.
DELETE FROM sessions
WHERE owner_id = $1 AND session_id = $2
RETURNING message_count
