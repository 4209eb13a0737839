-- Keep a session's summary in place of the one before, if what it adds to that is all still there.
-- The function sets the owner.
SELECT put_summary($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS is_kept
