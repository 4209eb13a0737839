-- Hold the owner's sessions, or one of them, against writers, always in the same order.
SELECT session_id FROM sessions
WHERE owner_id = $1
  AND ($2::uuid IS NULL OR session_id = $2)
  AND (expires_at IS NULL OR expires_at > $3)
ORDER BY session_id
FOR NO KEY UPDATE
