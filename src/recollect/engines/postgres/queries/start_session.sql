-- Create a session, and its owner's row with the first one; nothing if the id is taken.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES ($1, $2, $3, $9)
    ON CONFLICT (owner_id) DO NOTHING
)
INSERT INTO sessions (
    owner_id, session_id, name, metadata, databases, tags,
    created_at, updated_at, last_accessed_at, expires_at
)
VALUES ($1, $4, $5, $6::text::json, $7, $8, $9, $9, $9, $10)
ON CONFLICT (owner_id, session_id) DO NOTHING
RETURNING *, NULL::text AS summary, NULL::text[] AS summary_tables
