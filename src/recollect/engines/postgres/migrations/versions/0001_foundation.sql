-- Owners, sessions, turns, messages, jobs, API keys and the audit log, each row bound to one owner.

CREATE TABLE owners (
    owner_id   uuid PRIMARY KEY,
    tenant_id  text NOT NULL,
    user_id    text NOT NULL,  -- empty for the tenant itself
    created_at timestamptz NOT NULL,
    UNIQUE (owner_id, tenant_id, user_id)
);

-- Free JSON is kept as 'json': 'jsonb' would hand 1e17 back as an integer.
-- Each append updates the counters; a fifth of every page left free keeps that update on the page.
CREATE TABLE sessions (
    owner_id         uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    session_id       uuid NOT NULL,
    name             text,
    metadata         json NOT NULL,
    databases        text[] NOT NULL,
    tags             text[] NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    last_accessed_at timestamptz NOT NULL,
    expires_at       timestamptz,
    message_count    bigint NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    turn_count       bigint NOT NULL DEFAULT 0 CHECK (turn_count >= 0),
    last_sequence    bigint NOT NULL DEFAULT 0,
    last_turn        bigint NOT NULL DEFAULT 0,
    current_turn     bigint,  -- the latest turn still there: what a reply belongs to
    summary          text,
    PRIMARY KEY (owner_id, session_id)
) WITH (fillfactor = 80);

CREATE TABLE turns (
    owner_id     uuid NOT NULL,
    session_id   uuid NOT NULL,
    turn_number  bigint NOT NULL,
    status       text NOT NULL CHECK (status IN ('pending', 'complete', 'failed')),
    started_at   timestamptz NOT NULL,
    completed_at timestamptz,
    PRIMARY KEY (owner_id, session_id, turn_number),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE
);

CREATE TABLE messages (
    owner_id    uuid NOT NULL,
    session_id  uuid NOT NULL,
    sequence    bigint NOT NULL CHECK (sequence > 0),
    message_id  uuid NOT NULL,
    turn_number bigint,
    role        text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    content     text NOT NULL,
    metadata    json NOT NULL,
    details     json,  -- what only an assistant's message has: sql_query, tables_used, model, …
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (owner_id, session_id, sequence),
    UNIQUE (owner_id, message_id),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE,
    FOREIGN KEY (owner_id, session_id, turn_number) REFERENCES turns ON DELETE CASCADE
);

-- A user's history across sessions, in order of time.
CREATE INDEX messages_by_time ON messages (owner_id, created_at, session_id, sequence);

-- Finding the messages of a turn, when one of them or the turn goes.
CREATE INDEX messages_by_turn ON messages (owner_id, session_id, turn_number);

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

CREATE TABLE api_keys (
    owner_id    uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    key_id      uuid NOT NULL,
    tenant_id   text NOT NULL,
    user_id     text,
    scopes      text[] NOT NULL CHECK (scopes <@ ARRAY['user', 'service', 'admin']),
    name        text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at  timestamptz NOT NULL,
    revoked_at  timestamptz,
    PRIMARY KEY (owner_id, key_id)
);

-- No reference to owners: the log outlives what it tells of.
CREATE TABLE audit (
    owner_id       uuid NOT NULL,
    entry_id       bigint GENERATED ALWAYS AS IDENTITY,
    action         text NOT NULL,
    target         text NOT NULL,
    count          bigint NOT NULL,
    actor          text NOT NULL,
    transaction_id text NOT NULL,
    at             timestamptz NOT NULL,
    PRIMARY KEY (owner_id, entry_id)
);

-- Who works with the data: not the owner of the tables, no superuser, bound by every policy.
-- Roles belong to the whole server: another database may have made it already.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'recollect_app') THEN
        CREATE ROLE recollect_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- made since we looked
END $$;
DO $$
BEGIN
    IF NOT pg_has_role('recollect_app', 'MEMBER') THEN
        GRANT recollect_app TO CURRENT_USER;
    END IF;
END $$;
GRANT USAGE ON SCHEMA recollect TO recollect_app;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON owners, sessions, turns, messages, jobs, api_keys TO recollect_app;
GRANT SELECT, INSERT ON audit TO recollect_app;
GRANT SELECT ON alembic_version TO recollect_app;

-- The owner of the running transaction; NULL, which equals nothing, when none was set.
CREATE FUNCTION current_owner() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('recollect.owner_id', true), '')::uuid;

ALTER TABLE owners ENABLE ROW LEVEL SECURITY;
ALTER TABLE owners FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON owners USING (owner_id = current_owner());
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON sessions USING (owner_id = current_owner());
ALTER TABLE turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE turns FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON turns USING (owner_id = current_owner());
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON messages USING (owner_id = current_owner());
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON jobs USING (owner_id = current_owner());
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON api_keys USING (owner_id = current_owner());
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON audit USING (owner_id = current_owner());
