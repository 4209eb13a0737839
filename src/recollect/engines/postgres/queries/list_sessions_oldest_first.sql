-- The owner's sessions, the one unchanged for longest first, from a position on.
SELECT session.*, summary.text AS summary, summary.tables AS summary_tables
FROM sessions AS session
LEFT JOIN summaries AS summary
    ON summary.owner_id = session.owner_id AND summary.session_id = session.session_id
WHERE session.owner_id = $1
  AND (session.updated_at, session.session_id) > (
    coalesce($2, '-infinity'::timestamptz),
    coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
  )
  AND (session.expires_at IS NULL OR session.expires_at > $6)
ORDER BY session.updated_at, session.session_id
LIMIT $4 OFFSET $5
