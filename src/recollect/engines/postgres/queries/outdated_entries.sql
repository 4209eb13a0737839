-- The owner's entries that a model has not embedded, from some session on.
SELECT
    session_id, sequence, turn_number, said_at, speaker, tables, message_ids, text
FROM recall_entries AS entry
WHERE entry.owner_id = $1
  AND entry.session_id >= $3
  AND entry.model IS DISTINCT FROM $2
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = entry.session_id
      AND session.expires_at <= $5
  )
ORDER BY entry.session_id, entry.sequence
LIMIT $4
