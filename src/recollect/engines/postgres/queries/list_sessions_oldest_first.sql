-- The owner's sessions, the one unchanged for longest first, or unused, from a position on.
SELECT page.*, summary.text AS summary, summary.tables AS summary_tables
FROM (
    SELECT session.*, sorted.by_time
    FROM sessions AS session
    CROSS JOIN LATERAL (
        SELECT CASE WHEN $7::boolean THEN session.last_accessed_at ELSE session.updated_at END
    ) AS sorted (by_time)
    WHERE session.owner_id = $1
      AND (sorted.by_time, session.session_id) > (
        coalesce($2, '-infinity'::timestamptz),
        coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
      )
      AND (session.expires_at IS NULL OR session.expires_at > $6)
    ORDER BY sorted.by_time, session.session_id
    LIMIT $4 OFFSET $5
) AS page
LEFT JOIN summaries AS summary
    ON summary.owner_id = $1 AND summary.session_id = page.session_id
WHERE page.owner_id = $1
ORDER BY page.by_time, page.session_id
