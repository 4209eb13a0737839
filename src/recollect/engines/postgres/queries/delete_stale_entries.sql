-- Delete the entries of these sessions that tell of a message that is gone; their turns are due.
-- A turn that was due already is due again: what somebody is indexing now may just have gone.
WITH gone AS (
    DELETE FROM recall_entries AS entry
    USING unnest($2::uuid[], $3::bigint[]) AS cut (session_id, first_gone)
    WHERE entry.owner_id = $1
      AND entry.session_id = cut.session_id
      AND entry.last_sequence >= cut.first_gone
      AND EXISTS (
        SELECT FROM unnest(entry.message_ids) AS told (message_id)
        WHERE NOT EXISTS (
            SELECT FROM messages AS message
            WHERE message.owner_id = $1 AND message.message_id = told.message_id
        )
      )
    RETURNING entry.session_id, entry.turn_number
)
UPDATE turns AS turn
SET index_due = pg_current_xact_id()::text::bigint
WHERE turn.owner_id = $1
  AND turn.session_id = ANY($2::uuid[])
  AND (
    turn.index_due IS NOT NULL
    OR (turn.session_id, turn.turn_number) IN (SELECT session_id, turn_number FROM gone)
  )
