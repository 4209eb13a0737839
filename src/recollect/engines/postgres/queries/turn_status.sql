-- How far a turn has come.
SELECT status FROM turns
WHERE owner_id = $1 AND session_id = $2 AND turn_number = $3
