-- Owners, their API keys and modes, and the audit log.

CREATE TABLE owners (
    owner_id   uuid PRIMARY KEY,
    tenant_id  text NOT NULL,
    user_id    text NOT NULL,  -- empty for the tenant itself
    created_at timestamptz NOT NULL,
    UNIQUE (owner_id, tenant_id, user_id)
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
    memory      text NOT NULL DEFAULT 'full'  -- the most memory that chats with the key may use
        CHECK (memory IN ('off', 'read', 'full')),
    PRIMARY KEY (owner_id, key_id)
);

-- The mode of a user, such as halted.
CREATE TABLE states (
    owner_id   uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    mode       text NOT NULL,
    updated_at timestamptz NOT NULL
);

-- No reference to owners: the log outlives what it records.
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
