-- Note that a session was used; its end, if it has one, may move but never comes nearer.
UPDATE sessions
SET last_accessed_at = greatest(last_accessed_at, $3),
    expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, $4) END
WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $5)
