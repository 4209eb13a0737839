-- Delete a session; its turns, messages and summary go with it.
DELETE FROM sessions
WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $3)
RETURNING message_count + inactive_count
