-- Make some messages of a session active and others inactive; recall learns of it.
WITH switched AS (
    UPDATE messages SET is_active = message_id = ANY($3::uuid[])
    WHERE owner_id = $1
      AND session_id = $2
      AND (message_id = ANY($3::uuid[]) OR message_id = ANY($4::uuid[]))
    RETURNING turn_number
), hidden AS (
    DELETE FROM recall_entries
    WHERE owner_id = $1 AND session_id = $2 AND message_ids && $4::uuid[]
)
UPDATE turns SET index_due = pg_current_xact_id()::text::bigint
WHERE owner_id = $1
  AND session_id = $2
  AND turn_number IN (SELECT turn_number FROM switched)
