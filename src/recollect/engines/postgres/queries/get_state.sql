-- The mode of the owner, whom the statement itself sets.
SELECT state.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT found.mode, found.updated_at FROM states AS found
    WHERE found.owner_id = scope.owner_id
    LIMIT 1
) AS state
