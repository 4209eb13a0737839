-- The owner's messages across sessions, the last one first, from a position on.
SELECT message.* FROM messages AS message
WHERE message.owner_id = $1
  AND message.is_active
  AND (message.created_at, message.session_id, message.sequence) < (
    coalesce($2, 'infinity'::timestamptz),
    coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid),
    coalesce($4, 9223372036854775807)
  )
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = message.session_id
      AND session.expires_at <= $7
  )
ORDER BY message.created_at DESC, message.session_id DESC, message.sequence DESC
LIMIT $5 OFFSET $6
