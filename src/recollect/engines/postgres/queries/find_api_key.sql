-- One key by what its text names, for the owner whom the statement itself sets.
SELECT key.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT * FROM api_keys
    WHERE owner_id = scope.owner_id AND key_id = $2
    LIMIT 1
) AS key
