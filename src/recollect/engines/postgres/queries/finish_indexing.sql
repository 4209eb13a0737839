-- Turns are indexed, but for those that have changed again meanwhile.
-- The statement sets the owner itself, before it changes any. Nobody's data is lost with it: what
-- a crash forgets is done again. So it waits for no disk, and keeps it from nobody who does.
WITH indexed AS (
    UPDATE turns AS turn
    SET index_due = NULL
    FROM unnest($3::bigint[], $4::bigint[]) AS done (turn_number, change)
    WHERE turn.owner_id = $1
      AND turn.session_id = $2
      AND turn.turn_number = done.turn_number
      AND turn.index_due = done.change
    RETURNING turn.turn_number
)
SELECT finished.*
FROM (
    SELECT
        set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT turn_number FROM indexed
    WHERE scope.owner_id = $1
    LIMIT 1
) AS finished
