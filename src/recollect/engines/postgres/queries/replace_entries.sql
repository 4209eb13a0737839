-- Keep entries of some turns of a session in place of what was kept of these turns before.
-- The function sets the owner.
SELECT replace_entries($1, $2, $3, $4::text::json, $5, $6)
