-- One session of the owner, whom the statement itself sets.
SELECT session.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT * FROM sessions
    WHERE owner_id = scope.owner_id AND session_id = $2
    LIMIT 1
) AS session
