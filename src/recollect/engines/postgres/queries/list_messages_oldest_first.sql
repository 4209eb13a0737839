-- The messages of a session, the first one first, from a sequence number on.
SELECT * FROM messages
WHERE owner_id = $1 AND session_id = $2 AND sequence > coalesce($3, 0)
ORDER BY sequence
LIMIT $4 OFFSET $5
