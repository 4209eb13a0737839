-- The owner's messages with these ids, in whichever session.
SELECT * FROM messages
WHERE owner_id = $1 AND message_id = ANY($2::uuid[])
