-- Which of these turns of a session are pending or failed.
SELECT turn_number FROM turns
WHERE owner_id = $1
  AND session_id = $2
  AND turn_number = ANY($3::bigint[])
  AND status <> 'complete'
