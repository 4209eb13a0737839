-- Jobs: background work, queued in the transaction that makes it necessary.

CREATE TABLE jobs (
    owner_id     uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    job_id       uuid NOT NULL,
    kind         text NOT NULL,
    payload      json NOT NULL,
    attempts     integer NOT NULL DEFAULT 0,
    scheduled_at timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (owner_id, job_id)
);

-- What waits for a worker, the longest waiting first.
CREATE INDEX jobs_by_time ON jobs (scheduled_at);
