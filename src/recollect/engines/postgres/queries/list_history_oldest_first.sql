-- The owner's messages across sessions, the first one first, from a position on.
SELECT message.* FROM messages AS message
WHERE message.owner_id = $1
  AND message.is_active
  AND (message.created_at, message.session_id, message.sequence) > (
    coalesce($2, '-infinity'::timestamptz),
    coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid),
    coalesce($4, 0)
  )
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = message.session_id
      AND session.expires_at <= $7
  )
ORDER BY message.created_at, message.session_id, message.sequence
LIMIT $5 OFFSET $6
