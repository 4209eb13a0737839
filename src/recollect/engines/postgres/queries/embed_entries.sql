-- Give entries the vectors of a model, if they still say what was embedded.
UPDATE recall_entries AS entry
SET vector = embedded.vector::halfvec,
    bits = binary_quantize(embedded.vector::halfvec),
    model = $2,
    model_key = embedded.model_key,
    kept_in = NULL
FROM json_to_recordset($3::text::json) AS embedded (
    session_id uuid, sequence bigint, message_ids uuid[], text text, vector text,
    model_key integer
)
WHERE entry.owner_id = $1
  AND entry.session_id = embedded.session_id
  AND entry.sequence = embedded.sequence
  AND entry.message_ids = embedded.message_ids
  AND entry.text = embedded.text
