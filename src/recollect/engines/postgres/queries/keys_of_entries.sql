-- What another store may have of an owner, or should have of a model.
SELECT session_id, number FROM recall_entries
WHERE owner_id = $1 AND kept_in = $2 AND ($3::text IS NULL OR model = $3)
