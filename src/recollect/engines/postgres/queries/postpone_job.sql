-- Let a job wait for another try, unless it is no longer the worker's.
UPDATE jobs SET scheduled_at = $4 WHERE owner_id = $1 AND job_id = $2 AND scheduled_at = $3
