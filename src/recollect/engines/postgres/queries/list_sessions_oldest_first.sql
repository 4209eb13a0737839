-- The owner's sessions, the one unchanged for longest first, from a position on.
SELECT * FROM sessions
WHERE owner_id = $1
  AND (updated_at, session_id)
    > (coalesce($2, '-infinity'::timestamptz), coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid))
ORDER BY updated_at, session_id
LIMIT $4 OFFSET $5
