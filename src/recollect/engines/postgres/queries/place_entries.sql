-- The vectors of entries of some sessions are in another store now; what is gone is to go there.
WITH placed AS (
    SELECT session_id, number FROM unnest($5::uuid[], $6::integer[]) AS placed (session_id, number)
), marked AS (
    UPDATE recall_entries AS entry
    SET model = $3, model_key = $4, vector = NULL, bits = NULL
    FROM placed
    WHERE entry.owner_id = $1
      AND entry.number = placed.number
      AND entry.session_id = placed.session_id
      AND entry.kept_in = $2
      AND entry.session_id = ANY($7::uuid[])
    RETURNING entry.number
)
INSERT INTO recall_removals (owner_id, kept_in, session_id, number)
SELECT $1, $2, session_id, number FROM placed
WHERE number NOT IN (SELECT number FROM marked)
