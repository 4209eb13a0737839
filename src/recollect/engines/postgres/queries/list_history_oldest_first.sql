-- The owner's messages across sessions, the first one first, from a position on.
SELECT * FROM messages
WHERE owner_id = $1
  AND (created_at, session_id, sequence) > (
    coalesce($2, '-infinity'::timestamptz),
    coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid),
    coalesce($4, 0)
  )
ORDER BY created_at, session_id, sequence
LIMIT $5 OFFSET $6
