-- Take a job that is done away, unless it is no longer the worker's.
DELETE FROM jobs WHERE owner_id = $1 AND job_id = $2 AND scheduled_at = $3
