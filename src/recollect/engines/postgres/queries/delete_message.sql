-- Delete one message of these sessions; in which it was, and where.
DELETE FROM messages
WHERE owner_id = $1 AND session_id = ANY($2::uuid[]) AND message_id = $3
RETURNING session_id, sequence AS first_gone, 1 AS count
