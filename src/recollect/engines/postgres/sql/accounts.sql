-- Accounts: API keys, user states and ended visits to the dashboard.

-- name: add_api_key
-- Keep a tenant's new key, and the tenant's row with the first one.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, '', :created_at)
    ON CONFLICT DO NOTHING
)
INSERT INTO api_keys (
    owner_id, key_id, tenant_id, user_id, scopes, label, secret_hash, created_at, memory
)
VALUES (:owner_id, :key_id, :tenant_id, :user_id, :scopes, :name, :secret_hash, :created_at, :memory)

-- name: find_api_key
-- One key by what its text names, for the owner whom the statement itself sets.
SELECT key.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT * FROM api_keys
    WHERE scope.owner_id = :owner_id AND owner_id = :owner_id AND key_id = :key_id
    LIMIT 1
) AS key

-- name: list_api_keys
-- A tenant's keys, oldest first.
SELECT * FROM api_keys WHERE owner_id = :owner_id ORDER BY created_at, key_id

-- name: revoke_api_key
-- Revoke a key unless it is revoked already.
UPDATE api_keys SET revoked_at = :now
WHERE owner_id = :owner_id AND key_id = :key_id AND revoked_at IS NULL
RETURNING true

-- name: delete_api_key
-- Delete all that is stored of a key.
DELETE FROM api_keys WHERE owner_id = :owner_id AND key_id = :key_id RETURNING true

-- name: get_state
-- The mode of the owner, whom the statement itself sets.
SELECT state.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT state.mode, state.updated_at FROM states AS state
    WHERE scope.owner_id = :owner_id AND state.owner_id = :owner_id
    LIMIT 1
) AS state

-- name: put_state
-- Set the owner's mode, and make the owner's row if this is the first thing kept of it.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, :user_id, :now)
    ON CONFLICT DO NOTHING
)
INSERT INTO states (owner_id, mode, updated_at)
VALUES (:owner_id, :mode, :now)
ON CONFLICT (owner_id) DO UPDATE
SET mode = excluded.mode, updated_at = excluded.updated_at

-- name: delete_state
-- Forget the owner's mode and say what it was.
DELETE FROM states WHERE owner_id = :owner_id RETURNING mode

-- name: end_visit
-- Note that a visit has ended; those whose cookies have expired are forgotten.
WITH expired AS (
    DELETE FROM ended_visits WHERE owner_id = :owner_id AND expires_at < :now
)
INSERT INTO ended_visits (owner_id, visit_id, expires_at)
VALUES (:owner_id, :visit_id, :expires_at)
ON CONFLICT (owner_id, visit_id) DO NOTHING

-- name: find_ended_visit
-- A visit, if it has ended, for the owner whom the statement itself sets.
SELECT visit.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT visit_id FROM ended_visits
    WHERE scope.owner_id = :owner_id AND owner_id = :owner_id AND visit_id = :visit_id
    LIMIT 1
) AS visit
