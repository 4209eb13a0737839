-- How far a turn has come, in a session that has not expired.
SELECT turn.status FROM turns AS turn
WHERE turn.owner_id = $1
  AND turn.session_id = $2
  AND turn.turn_number = $3
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = $2
      AND (session.expires_at IS NULL OR session.expires_at > $4)
  )
