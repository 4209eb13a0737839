-- Name sessions after questions of theirs.
UPDATE sessions AS session
SET name = named.name, name_turn = named.turn_number
FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS named (session_id, name, turn_number)
WHERE session.owner_id = $1 AND session.session_id = named.session_id
