-- Hold some sessions of the owner against writers, always in the same order.
SELECT session_id FROM sessions
WHERE owner_id = $1 AND session_id = ANY($2::uuid[]) AND (expires_at IS NULL OR expires_at > $3)
ORDER BY session_id
FOR NO KEY UPDATE
