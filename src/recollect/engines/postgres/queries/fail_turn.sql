-- Mark a turn as failed unless it has been answered; whether there is such a turn.
UPDATE turns
SET status = CASE WHEN status = 'pending' THEN 'failed' ELSE status END
WHERE owner_id = $1 AND session_id = $2 AND turn_number = $3
RETURNING true
