-- The vectors of entries are not where they were thought to be; they have to be embedded again.
UPDATE recall_entries
SET model = NULL, model_key = NULL
WHERE owner_id = $1
  AND kept_in = $2
  AND vector IS NULL
  AND number = ANY($3::integer[])
  AND session_id = ANY($4::uuid[])
