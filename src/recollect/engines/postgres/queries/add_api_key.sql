-- Keep a tenant's new key, and the tenant's row with the first one.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES ($1, $3, '', $8)
    ON CONFLICT (owner_id) DO NOTHING
)
INSERT INTO api_keys (
    owner_id, key_id, tenant_id, user_id, scopes, name, secret_hash, created_at, memory
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
