-- A turn's status with each of its messages, oldest first, in a session that has not expired.
SELECT
    turn.status, said.message_id, said.session_id, said.sequence, said.turn_number, said.role,
    said.content, said.metadata, said.details, said.created_at,
    said.is_active
FROM turns AS turn
JOIN messages AS said
    ON said.owner_id = turn.owner_id
    AND said.session_id = turn.session_id
    AND said.turn_number = turn.turn_number
WHERE turn.owner_id = $1
  AND turn.session_id = $2
  AND turn.turn_number = $3
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = $2
      AND (session.expires_at IS NULL OR session.expires_at > $4)
  )
ORDER BY said.sequence
