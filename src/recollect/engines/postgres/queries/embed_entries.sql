-- Give entries the vectors of a model, if they still say what was embedded.
-- The function sets the owner.
SELECT embed_entries($1, $2, $3, $4::text::json, $5)
