-- The owner's messages across sessions, the last one first, from a position on.
SELECT * FROM messages
WHERE owner_id = $1
  AND (created_at, session_id, sequence) < (
    coalesce($2, 'infinity'::timestamptz),
    coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid),
    coalesce($4, 9223372036854775807)
  )
ORDER BY created_at DESC, session_id DESC, sequence DESC
LIMIT $5 OFFSET $6
