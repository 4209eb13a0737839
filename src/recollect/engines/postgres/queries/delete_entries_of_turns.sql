-- Delete the entries of some turns of a session.
DELETE FROM recall_entries
WHERE owner_id = $1 AND session_id = $2 AND turn_number = ANY($3::bigint[])
