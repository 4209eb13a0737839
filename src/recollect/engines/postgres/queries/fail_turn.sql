-- Mark a turn as failed unless it has been answered; whether there is such a turn.
UPDATE turns AS turn
SET status = CASE WHEN status = 'pending' THEN 'failed' ELSE status END,
    index_due = pg_current_xact_id()::text::bigint
WHERE turn.owner_id = $1
  AND turn.session_id = $2
  AND turn.turn_number = $3
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = $2
      AND (session.expires_at IS NULL OR session.expires_at > $4)
  )
RETURNING true
