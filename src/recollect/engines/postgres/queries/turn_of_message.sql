-- The turn that a message belongs to, and whether it is on the active branch, by now and until we end.
-- The session is held first, as by everybody who switches branches. The message is, too: of rows that
-- it locks a statement reads the newest version, of others the one from before it had to wait.
SELECT message.turn_number, message.is_active
FROM sessions AS session
JOIN messages AS message
  ON message.owner_id = session.owner_id AND message.session_id = session.session_id
WHERE session.owner_id = $1 AND session.session_id = $2 AND message.message_id = $3
FOR NO KEY UPDATE OF session
FOR SHARE OF message
