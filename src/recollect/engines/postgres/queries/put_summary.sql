-- Keep a session's summary in place of the one before.
INSERT INTO summaries (
    owner_id, session_id, first_sequence, last_sequence, text, tables, method, created_at
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (owner_id, session_id) DO UPDATE
SET first_sequence = excluded.first_sequence,
    last_sequence = excluded.last_sequence,
    text = excluded.text,
    tables = excluded.tables,
    method = excluded.method,
    created_at = excluded.created_at
