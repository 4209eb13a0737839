-- Note that a session was used; its end, if it has one, may move but never comes nearer.
-- The statement sets the owner itself, before it changes anything. It waits for no disk: what a
-- crash forgets, the next use notes.
WITH used AS (
    UPDATE sessions
    SET last_accessed_at = greatest(last_accessed_at, $3),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, $4) END
    WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $5)
    RETURNING session_id
)
SELECT touched.*
FROM (
    SELECT
        set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT session_id FROM used
    WHERE scope.owner_id = $1
    LIMIT 1
) AS touched
