-- Turns are indexed, but for those that have changed again meanwhile.
UPDATE turns AS turn
SET index_due = NULL
FROM unnest($3::bigint[], $4::bigint[]) AS indexed (turn_number, change)
WHERE turn.owner_id = $1
  AND turn.session_id = $2
  AND turn.turn_number = indexed.turn_number
  AND turn.index_due = indexed.change
