-- How many active messages of a session lie after one sequence number and up to another.
SELECT count(*) FROM messages
WHERE owner_id = $1 AND session_id = $2 AND sequence > $3 AND sequence <= $4 AND is_active
