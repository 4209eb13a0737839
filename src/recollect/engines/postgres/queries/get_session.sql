-- One session of the owner, whom the statement itself sets.
SELECT session.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT found.*, summary.text AS summary, summary.tables AS summary_tables
    FROM sessions AS found
    LEFT JOIN summaries AS summary
        ON summary.owner_id = found.owner_id AND summary.session_id = found.session_id
    WHERE found.owner_id = scope.owner_id
      AND found.session_id = $2
      AND (found.expires_at IS NULL OR found.expires_at > $3)
    LIMIT 1
) AS session
