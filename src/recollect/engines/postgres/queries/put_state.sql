-- Set the owner's mode, and make the owner's row if this is the first thing kept of it.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES ($1, $2, $3, $5)
    ON CONFLICT (owner_id) DO NOTHING
)
INSERT INTO states (owner_id, mode, updated_at)
VALUES ($1, $4, $5)
ON CONFLICT (owner_id) DO UPDATE
SET mode = excluded.mode, updated_at = excluded.updated_at
