-- A session's oldest turns to index and the open questions before them, with their messages.
-- The statement sets the owner itself.
WITH due AS MATERIALIZED (
    SELECT turn_number, status, index_due FROM turns
    WHERE owner_id = $1 AND session_id = $2 AND index_due IS NOT NULL
    ORDER BY turn_number
    LIMIT $3
), chosen AS MATERIALIZED (
    SELECT turn_number, status, index_due FROM due
    UNION
    SELECT before.turn_number, before.status, before.index_due
    FROM due
    CROSS JOIN LATERAL (
        SELECT turn_number, status, index_due FROM turns
        WHERE owner_id = $1 AND session_id = $2 AND turn_number < due.turn_number
        ORDER BY turn_number DESC
        LIMIT 1
    ) AS before
    WHERE before.status = 'pending'
)
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        chosen.turn_number AS due_turn, chosen.status, chosen.index_due,
        chosen.turn_number = session.current_turn AS is_latest, message.*
    FROM sessions AS session
    CROSS JOIN chosen
    LEFT JOIN messages AS message
        ON message.owner_id = $1
        AND message.session_id = $2
        AND message.turn_number = chosen.turn_number
        AND message.is_active
    WHERE session.owner_id = scope.owner_id
      AND session.session_id = $2
      AND (session.expires_at IS NULL OR session.expires_at > $4)
    ORDER BY chosen.turn_number, message.sequence
    OFFSET 0
) AS found
