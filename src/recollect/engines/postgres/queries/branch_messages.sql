-- The messages of a session in all branches, or in the active one, the last one first.
SELECT * FROM messages
WHERE owner_id = $1 AND session_id = $2 AND (is_active OR NOT $3)
ORDER BY sequence DESC
LIMIT $4
