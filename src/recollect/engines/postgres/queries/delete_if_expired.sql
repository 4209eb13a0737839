-- Make room for a new session of an id whose last one has expired.
DELETE FROM sessions
WHERE owner_id = $1 AND session_id = $2 AND expires_at <= $3
RETURNING message_count + inactive_count
