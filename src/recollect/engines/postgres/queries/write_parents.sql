-- Write down which messages some turns of a session follow.
UPDATE turns AS turn SET parent_sequence = given.parent_sequence
FROM unnest($3::bigint[], $4::bigint[]) AS given (turn_number, parent_sequence)
WHERE turn.owner_id = $1
  AND turn.session_id = $2
  AND turn.turn_number = given.turn_number
