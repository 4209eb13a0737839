-- Take the job that has waited longest, for the time of a lease; other workers skip it meanwhile.
-- Kinds that this version does not know are left to those that do. The statement says itself that
-- it is a worker's, before it looks for any, and waits for no disk.
WITH taken AS (
    UPDATE jobs
    SET scheduled_at = $2, attempts = attempts + 1
    WHERE (owner_id, job_id) = (
        SELECT owner_id, job_id FROM jobs
        WHERE scheduled_at <= $1 AND kind = ANY($3::text[])
        ORDER BY scheduled_at, job_id
        FOR UPDATE SKIP LOCKED
        LIMIT 1
    )
    RETURNING *
)
SELECT job.*
FROM (
    SELECT
        set_config('recollect.worker', 'on', true) AS worker,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT * FROM taken
    WHERE scope.worker = 'on'
    LIMIT 1
) AS job
