-- Replace the given parts of a session; a NULL leaves its part as it is.
UPDATE sessions AS session
SET name = coalesce($3, name),
    name_turn = CASE WHEN $3 IS NULL THEN name_turn END,
    metadata = coalesce($4::text::json, metadata),
    databases = coalesce($5, databases),
    tags = coalesce($6, tags),
    updated_at = greatest(updated_at, $7),
    last_accessed_at = greatest(last_accessed_at, $7)
WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $8)
RETURNING *, (
    SELECT text FROM summaries WHERE owner_id = $1 AND session_id = session.session_id
) AS summary, (
    SELECT tables FROM summaries WHERE owner_id = $1 AND session_id = session.session_id
) AS summary_tables
