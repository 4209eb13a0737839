-- Take a job that is done away, unless it is no longer the worker's.
-- The statement sets the owner itself, before it changes anything.
WITH done AS (
    DELETE FROM jobs
    WHERE owner_id = $1 AND job_id = $2 AND scheduled_at = $3
    RETURNING job_id
)
SELECT finished.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT job_id FROM done
    WHERE scope.owner_id = $1
    LIMIT 1
) AS finished
