-- The messages of a session, the last one first, from a number on; the statement itself sets the owner.
SELECT message.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT * FROM messages
    WHERE owner_id = scope.owner_id
      AND session_id = $2
      AND sequence < coalesce($3, 9223372036854775807)
      AND (is_active OR $7)
      AND EXISTS (
        SELECT FROM sessions AS session
        WHERE session.owner_id = scope.owner_id
          AND session.session_id = $2
          AND (session.expires_at IS NULL OR session.expires_at > $6)
      )
    ORDER BY sequence DESC
    LIMIT $4 OFFSET $5
) AS message
