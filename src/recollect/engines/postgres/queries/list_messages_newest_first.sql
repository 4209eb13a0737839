-- The messages of a session, the last one first, from a sequence number on.
SELECT * FROM messages
WHERE owner_id = $1 AND session_id = $2 AND sequence < coalesce($3, 9223372036854775807)
ORDER BY sequence DESC
LIMIT $4 OFFSET $5
