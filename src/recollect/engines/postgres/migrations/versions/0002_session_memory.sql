-- Summaries of older messages, jobs that workers take, and sessions that expire.

-- One summary a session: it stands for everything from first_sequence to last_sequence.
CREATE TABLE summaries (
    owner_id       uuid NOT NULL,
    session_id     uuid NOT NULL,
    first_sequence bigint NOT NULL,
    last_sequence  bigint NOT NULL CHECK (last_sequence >= first_sequence),
    text           text NOT NULL,
    tables         text[] NOT NULL,  -- what the text draws on, for whoever may see it
    method         text NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (owner_id, session_id),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE
);
ALTER TABLE summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE summaries FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON summaries USING (owner_id = current_owner());
GRANT SELECT, INSERT, UPDATE, DELETE ON summaries TO recollect_app;

-- The text stays out of the row that every append rewrites; how far it reaches is in it.
ALTER TABLE sessions DROP COLUMN summary;
ALTER TABLE sessions ADD COLUMN summarized_through bigint NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN summarized_count bigint NOT NULL DEFAULT 0;

-- What has expired, for the clean-up; no session without an end is in it.
CREATE INDEX sessions_by_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- What waits for a worker, the longest waiting first.
CREATE INDEX jobs_by_time ON jobs (scheduled_at);

-- A worker serves all owners: it sees every job, which holds ids and no text, and of sessions
-- only what has expired already. It says so in its transaction, as others name their owner.
CREATE FUNCTION is_worker() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN current_setting('recollect.worker', true) = 'on';
CREATE POLICY worker_takes ON jobs USING (is_worker());
CREATE FUNCTION worker_time() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('recollect.now', true), '')::timestamptz;
CREATE POLICY worker_tells ON audit FOR INSERT WITH CHECK (is_worker());
CREATE POLICY worker_sees_expired ON sessions
    USING (is_worker() AND expires_at <= worker_time());
