-- Take a job that is done away, unless it is no longer the worker's.
-- The statement sets the owner itself, before it changes anything. It waits for no disk: a job that
-- a crash brings back is done again.
WITH done AS (
    DELETE FROM jobs
    WHERE owner_id = $1 AND job_id = $2 AND scheduled_at = $3
    RETURNING job_id
)
SELECT finished.*
FROM (
    SELECT
        set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT job_id FROM done
    WHERE scope.owner_id = $1
    LIMIT 1
) AS finished
