-- Tenants: what each has set for itself.

-- name: get_tenant_settings
-- The settings of the tenant, which the statement itself sets as the owner.
SELECT own.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT tenant_id, settings::text AS settings, version, updated_at FROM tenant_settings
    WHERE scope.owner_id = :owner_id AND owner_id = :owner_id
    LIMIT 1
) AS own

-- name: begin_tenant_settings
-- Make the rows of the tenant and of its settings, if they are not there.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, '', :now)
    ON CONFLICT DO NOTHING
)
INSERT INTO tenant_settings (owner_id, tenant_id, settings, version, updated_at)
VALUES (:owner_id, :tenant_id, '{}', 0, :now)
ON CONFLICT DO NOTHING

-- name: lock_tenant_settings
-- The settings of the tenant, which nobody else changes until the transaction ends.
SELECT tenant_id, settings::text AS settings, version, updated_at FROM tenant_settings
WHERE owner_id = :owner_id
FOR UPDATE

-- name: put_tenant_settings
-- Put settings in the place of those that are locked, and return their version.
UPDATE tenant_settings SET settings = :settings, version = version + 1, updated_at = :now
WHERE owner_id = :owner_id
RETURNING version

-- name: has_tenant_settings
-- Whether any tenant has set anything. The statement says itself that it is a worker's.
SELECT own.*
FROM (SELECT set_config('recollect.worker', 'on', true) AS worker OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT version FROM tenant_settings
    WHERE scope.worker = 'on' AND settings <> '{}'
    LIMIT 1
) AS own

-- name: list_tenant_settings
-- The settings of tenants that have set something, by name, after one of them.
SELECT tenant_id, settings::text AS settings, version, updated_at FROM tenant_settings
WHERE settings <> '{}' AND (:after::text IS NULL OR tenant_id > :after)
ORDER BY tenant_id
LIMIT :limit
