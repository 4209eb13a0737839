DROP POLICY worker_sees_abandoned ON turns;
DROP POLICY worker_fails_abandoned ON turns;
CREATE POLICY worker_sees_abandoned ON turns FOR SELECT
    USING (is_worker() AND status <> 'complete' AND started_at <= worker_time() - interval '1 hour');
CREATE POLICY worker_fails_abandoned ON turns FOR UPDATE
    USING (is_worker() AND status = 'pending' AND started_at <= worker_time() - interval '1 hour')
    WITH CHECK (is_worker() AND status = 'failed');
DROP INDEX turns_pending;
