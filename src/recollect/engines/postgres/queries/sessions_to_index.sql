-- Some sessions of all owners with turns to index, and whose they are; none that has expired.
-- The statement says itself that it is a worker's, and what time it is, before it looks for any.
SELECT due.*
FROM (
    SELECT
        set_config('recollect.worker', 'on', true) AS worker,
        set_config('recollect.now', $2::timestamptz::text, true) AS now
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT found.session_id, owner.tenant_id, owner.user_id
    FROM (
        SELECT turn.owner_id, turn.session_id FROM turns AS turn
        WHERE turn.index_due IS NOT NULL
          AND scope.worker = 'on'
          AND NOT EXISTS (
            SELECT FROM sessions AS session
            WHERE session.owner_id = turn.owner_id
              AND session.session_id = turn.session_id
              AND session.expires_at <= worker_time()
          )
        GROUP BY turn.owner_id, turn.session_id
        LIMIT $1
    ) AS found
    JOIN owners AS owner ON owner.owner_id = found.owner_id
    LIMIT $1
) AS due
