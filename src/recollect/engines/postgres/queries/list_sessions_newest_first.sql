-- The owner's sessions, the last changed one first, from a position on.
SELECT * FROM sessions
WHERE owner_id = $1
  AND (updated_at, session_id)
    < (coalesce($2, 'infinity'::timestamptz), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
ORDER BY updated_at DESC, session_id DESC
LIMIT $4 OFFSET $5
