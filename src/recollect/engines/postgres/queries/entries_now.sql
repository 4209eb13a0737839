-- How an owner's entries stand, for a process that keeps them at hand.
-- Nothing is to be read if that is how it knows them. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        entries, last_number, changes,
        (
            SELECT array_agg(session_id) FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= $2
        ) AS expired
    FROM recall_owners
    WHERE owner_id = scope.owner_id
    LIMIT 1
) AS found
