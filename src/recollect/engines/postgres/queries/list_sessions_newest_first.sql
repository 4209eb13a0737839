-- The owner's sessions, the last changed one first, or the last used one, from a position on.
-- No index: one on a time that every read moves would cost each of them more than sorting does.
-- Summaries are looked up for the page alone: for all of 10,000 sessions they took half the time.
SELECT page.*, summary.text AS summary, summary.tables AS summary_tables
FROM (
    SELECT session.*, sorted.by_time
    FROM sessions AS session
    CROSS JOIN LATERAL (
        SELECT CASE WHEN $7::boolean THEN session.last_accessed_at ELSE session.updated_at END
    ) AS sorted (by_time)
    WHERE session.owner_id = $1
      AND (sorted.by_time, session.session_id) < (
        coalesce($2, 'infinity'::timestamptz),
        coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
      )
      AND (session.expires_at IS NULL OR session.expires_at > $6)
    ORDER BY sorted.by_time DESC, session.session_id DESC
    LIMIT $4 OFFSET $5
) AS page
LEFT JOIN summaries AS summary
    ON summary.owner_id = $1 AND summary.session_id = page.session_id
WHERE page.owner_id = $1
ORDER BY page.by_time DESC, page.session_id DESC
