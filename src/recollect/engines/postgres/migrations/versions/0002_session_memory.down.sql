-- Take summaries and the workers' view away again.

DROP POLICY worker_sees_expired ON sessions;
DROP POLICY worker_tells ON audit;
DROP POLICY worker_takes ON jobs;
DROP FUNCTION is_worker();
DROP FUNCTION worker_time();
DROP INDEX jobs_by_time;
DROP INDEX sessions_by_expiry;
ALTER TABLE sessions DROP COLUMN summarized_count;
ALTER TABLE sessions DROP COLUMN summarized_through;
ALTER TABLE sessions ADD COLUMN summary text;
DROP TABLE summaries;
