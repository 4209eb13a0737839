-- Note that another store may have a copy of entries from now on, and give their numbers.
-- What a third store had of them is to go from there; what was to go from this one stays.
WITH named AS (
    SELECT entry.session_id, entry.sequence, entry.number, entry.kept_in
    FROM json_to_recordset($3::text::json) AS said (
        session_id uuid, sequence bigint, message_ids uuid[], text text
    )
    JOIN recall_entries AS entry
        ON entry.session_id = said.session_id AND entry.sequence = said.sequence
    WHERE entry.owner_id = $1
      AND entry.message_ids = said.message_ids
      AND entry.text = said.text
), claimed AS (
    UPDATE recall_entries AS entry
    SET kept_in = $2,
        model = CASE WHEN entry.vector IS NOT NULL THEN entry.model END,
        model_key = CASE WHEN entry.vector IS NOT NULL THEN entry.model_key END
    FROM named
    WHERE entry.owner_id = $1
      AND entry.number = named.number
      AND named.kept_in IS DISTINCT FROM $2
    RETURNING entry.number
), wanted AS (
    DELETE FROM recall_removals AS removal
    USING claimed
    WHERE removal.owner_id = $1 AND removal.kept_in = $2 AND removal.number = claimed.number
)
SELECT session_id, sequence, number FROM named
