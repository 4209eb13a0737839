-- The oldest active messages of a session after a sequence number.
SELECT * FROM messages
WHERE owner_id = $1 AND session_id = $2 AND sequence > $3 AND is_active
ORDER BY sequence
LIMIT $4
