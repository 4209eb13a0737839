-- Profiles: JSON values by key for each owner.

-- name: list_profile
-- The owner's values, or those of some keys, for the owner whom the statement itself sets.
SELECT item.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT key, value, version, created_at, updated_at FROM profile_values
    WHERE scope.owner_id = :owner_id
      AND owner_id = :owner_id
      AND (:keys::text[] IS NULL OR key = ANY(:keys::text[]))
    OFFSET 0
) AS item
ORDER BY item.key

-- name: begin_profile_change
-- Lock the owner's profile, made with the first change, and take the version of the next one.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, :user_id, :now)
    ON CONFLICT DO NOTHING
)
INSERT INTO profiles (owner_id, last_version)
VALUES (:owner_id, 1)
ON CONFLICT (owner_id) DO UPDATE SET last_version = profiles.last_version + 1
RETURNING last_version

-- name: find_profile_key
-- What a locked profile has of one key, and how much it has beside it.
SELECT
    max(value::text) FILTER (WHERE key = :key) AS text,
    max(version) FILTER (WHERE key = :key) AS version,
    count(*) FILTER (WHERE key <> :key) AS other_keys,
    coalesce(sum(size) FILTER (WHERE key <> :key), 0) AS other_bytes
FROM profile_values
WHERE owner_id = :owner_id

-- name: put_profile_value
-- Set the value of a key, and say since when the key is there.
INSERT INTO profile_values (owner_id, key, value, size, version, created_at, updated_at)
VALUES (:owner_id, :key, :value, :size, :version, :now, :now)
ON CONFLICT (owner_id, key) DO UPDATE
SET value = excluded.value,
    size = excluded.size,
    version = excluded.version,
    updated_at = excluded.updated_at
RETURNING created_at

-- name: delete_profile_value
-- Delete a key, of any version or of one.
DELETE FROM profile_values
WHERE owner_id = :owner_id
  AND key = :key
  AND (:version::bigint IS NULL OR version = :version)
RETURNING true

-- name: version_of_profile_key
-- The version that a key has now.
SELECT version FROM profile_values WHERE owner_id = :owner_id AND key = :key

-- name: clear_profile
-- Delete all keys and count them.
WITH deleted AS (
    DELETE FROM profile_values WHERE owner_id = :owner_id RETURNING key
)
SELECT count(*) FROM deleted
