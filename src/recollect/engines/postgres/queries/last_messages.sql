-- The last messages of a session, newest first, for the owner whom the statement itself sets.
-- The LIMIT inside keeps the two parts apart: the owner is set before any row is looked for.
SELECT message.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT session_id, sequence, message_id, turn_number, role, content, metadata, details, created_at
    FROM messages
    WHERE owner_id = scope.owner_id
      AND session_id = $2
      AND is_active
      AND EXISTS (
        SELECT FROM sessions AS session
        WHERE session.owner_id = scope.owner_id
          AND session.session_id = $2
          AND (session.expires_at IS NULL OR session.expires_at > $4)
      )
    ORDER BY sequence DESC
    LIMIT $3
) AS message
