-- Delete one message, in a given session or in whichever it is.
DELETE FROM messages
WHERE owner_id = $1 AND message_id = $2 AND ($3::uuid IS NULL OR session_id = $3)
RETURNING session_id
