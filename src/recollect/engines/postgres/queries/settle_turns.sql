-- Say of turns that changed branches which are answered and which one is open again.
UPDATE turns
SET status = CASE WHEN turn_number = $4 THEN 'pending' ELSE 'complete' END,
    started_at = CASE WHEN turn_number = $4 THEN greatest(started_at, $5) ELSE started_at END
WHERE owner_id = $1
  AND session_id = $2
  AND (turn_number = ANY($3::bigint[]) OR turn_number = $4)
