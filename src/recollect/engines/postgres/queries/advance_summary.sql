-- Say how far a session is summarised now, if it still was as far as the worker thought.
UPDATE sessions
SET summarized_through = $4, summarized_count = summarized_count + $5
WHERE owner_id = $1 AND session_id = $2 AND summarized_through = $3
RETURNING true
