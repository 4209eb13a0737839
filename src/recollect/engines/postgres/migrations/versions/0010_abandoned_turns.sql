-- Questions of servers that were killed are failed within minutes, looked for every minute: their
-- index holds the open turns and nothing else.
CREATE INDEX turns_pending ON turns (owner_id, started_at) WHERE status = 'pending';

-- A worker sees what has waited for ten minutes, the least that any server waits for an answer.
DROP POLICY worker_sees_abandoned ON turns;
DROP POLICY worker_fails_abandoned ON turns;
CREATE POLICY worker_sees_abandoned ON turns FOR SELECT
    USING (
        is_worker() AND status <> 'complete' AND started_at <= worker_time() - interval '10 minutes'
    );
CREATE POLICY worker_fails_abandoned ON turns FOR UPDATE
    USING (
        is_worker() AND status = 'pending' AND started_at <= worker_time() - interval '10 minutes'
    )
    WITH CHECK (is_worker() AND status = 'failed');
