-- Delete the turns of these sessions of which no message is left.
DELETE FROM turns AS turn
WHERE turn.owner_id = $1
  AND turn.session_id = ANY($2::uuid[])
  AND NOT EXISTS (
    SELECT FROM messages AS message
    WHERE message.owner_id = turn.owner_id
      AND message.session_id = turn.session_id
      AND message.turn_number = turn.turn_number
  )
