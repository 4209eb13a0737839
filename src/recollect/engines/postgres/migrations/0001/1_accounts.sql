-- Owners, their API keys, modes and profiles.

CREATE TABLE owners (
    owner_id   uuid PRIMARY KEY,
    tenant_id  text NOT NULL,
    user_id    text NOT NULL,  -- empty for the tenant itself
    created_at timestamptz NOT NULL,
    is_being_erased boolean NOT NULL DEFAULT false,  -- nothing more is stored until that is done
    UNIQUE (owner_id, tenant_id, user_id)
);

-- The users of a tenant, for the erasure of a whole tenant.
CREATE INDEX owners_by_tenant ON owners (tenant_id, owner_id);

CREATE TABLE api_keys (
    owner_id    uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    key_id      uuid NOT NULL,
    tenant_id   text NOT NULL,
    user_id     text,
    scopes      text[] NOT NULL CHECK (scopes <@ ARRAY['user', 'service', 'admin']),
    label       text NOT NULL,  -- what the tenant calls the key; columns called name hold content
    secret_hash bytea NOT NULL,
    created_at  timestamptz NOT NULL,
    revoked_at  timestamptz,
    memory      text NOT NULL DEFAULT 'full'  -- the most memory that chats with the key may use
        CHECK (memory IN ('off', 'read', 'full')),
    PRIMARY KEY (owner_id, key_id)
);

-- What a tenant has set for itself. A row stays when everything is unset: no version comes twice.
CREATE TABLE tenant_settings (
    owner_id   uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,  -- the tenant itself
    tenant_id  text COLLATE "C" NOT NULL,
    settings   jsonb NOT NULL,  -- by name; those that are not set are left out
    version    bigint NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX tenant_settings_by_name ON tenant_settings (tenant_id) WHERE settings <> '{}';

-- Visits to the dashboard that were ended by signing out: a copy of their cookie opens nothing. They
-- belong to the system, and go once their cookie would have expired.
CREATE TABLE ended_visits (
    owner_id   uuid NOT NULL,
    visit_id   uuid NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (owner_id, visit_id)
);
CREATE INDEX ended_visits_by_expiry ON ended_visits (owner_id, expires_at);

-- The mode of a user, such as halted.
CREATE TABLE states (
    owner_id   uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    mode       text NOT NULL,
    updated_at timestamptz NOT NULL
);

-- Each change of a profile locks its row here, and gets the next version.
CREATE TABLE profiles (
    owner_id     uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    last_version bigint NOT NULL
);

-- What programs store about a user. 'json' keeps the spelling of numbers: 'jsonb' would return 1e17
-- as an integer.
CREATE TABLE profile_values (
    owner_id   uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
    key        text COLLATE "C" NOT NULL,
    value      json NOT NULL,
    size       integer NOT NULL,  -- bytes of the value
    version    bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (owner_id, key)
);
