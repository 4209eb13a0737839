-- The mode of each user, such as halted, and turns that nobody will answer any more.

CREATE TABLE states (
    owner_id   uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    mode       text NOT NULL,
    updated_at timestamptz NOT NULL
);
ALTER TABLE states ENABLE ROW LEVEL SECURITY;
ALTER TABLE states FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON states USING (owner_id = current_owner());
GRANT SELECT, INSERT, UPDATE, DELETE ON states TO recollect_app;

-- A worker fails the turns whose server was killed. It sees their numbers and no text, and only
-- such as have waited for an hour; it can make nothing of them but failed ones.
CREATE POLICY worker_sees_abandoned ON turns FOR SELECT
    USING (is_worker() AND status <> 'complete' AND started_at <= worker_time() - interval '1 hour');
CREATE POLICY worker_fails_abandoned ON turns FOR UPDATE
    USING (is_worker() AND status = 'pending' AND started_at <= worker_time() - interval '1 hour')
    WITH CHECK (is_worker() AND status = 'failed');
