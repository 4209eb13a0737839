-- Recall: write and count the entries of the index.

-- name: replace_entries
-- Keep entries of some turns of a session in place of what was kept of these turns before.
-- The function sets the owner.
SELECT replace_entries(:owner_id, :session_id, :turn_numbers, :entries::text::json, :store, :now)

-- name: embed_entries
-- Give entries the vectors of a model, if they still say what was embedded.
-- The function sets the owner.
SELECT embed_entries(:owner_id, :session_ids, :model, :entries::text::json, :now)

-- name: delete_stale_entries
-- Delete the entries of these sessions that tell of a message that is gone; their turns are due.
-- A turn that was due already is due again: what somebody is indexing now may just have gone.
WITH gone AS (
    DELETE FROM recall_entries AS entry
    USING unnest(:session_ids::uuid[], :first_gone::bigint[]) AS cut (session_id, first_gone)
    WHERE entry.owner_id = :owner_id
      AND entry.session_id = cut.session_id
      AND entry.last_sequence >= cut.first_gone
      AND EXISTS (
        SELECT FROM unnest(entry.message_ids) AS own (message_id)
        WHERE NOT EXISTS (
            SELECT FROM messages AS message
            WHERE message.owner_id = :owner_id AND message.message_id = own.message_id
        )
      )
    RETURNING entry.session_id, entry.turn_number
)
UPDATE turns AS turn
SET index_due = pg_current_xact_id()::text::bigint
WHERE turn.owner_id = :owner_id
  AND turn.session_id = ANY(:session_ids::uuid[])
  AND (
    turn.index_due IS NOT NULL
    OR EXISTS (
        SELECT FROM gone
        WHERE gone.session_id = turn.session_id AND gone.turn_number = turn.turn_number
    )
  )

-- name: lock_recall
-- Let writers of an owner's entries queue up, even before there is any entry.
INSERT INTO recall_owners (owner_id, entries, length, last_number)
VALUES (:owner_id, 0, 0, 0)
ON CONFLICT (owner_id) DO UPDATE SET last_number = recall_owners.last_number

-- name: list_speakers
-- Those who speak in the owner's entries, each once; the statement sets the owner itself.
-- It steps from name to name through the index: an owner has few names and many entries.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH RECURSIVE named AS (
        (
            SELECT speaker FROM recall_entries
            WHERE owner_id = :owner_id AND speaker IS NOT NULL
            ORDER BY speaker
            LIMIT 1
        )
        UNION ALL
        SELECT (
            SELECT entry.speaker FROM recall_entries AS entry
            WHERE entry.owner_id = :owner_id AND entry.speaker > named.speaker
            ORDER BY entry.speaker
            LIMIT 1
        )
        FROM named
        WHERE named.speaker IS NOT NULL
    )
    SELECT speaker FROM named
    WHERE scope.owner_id = :owner_id AND speaker IS NOT NULL
    LIMIT :limit
) AS result

-- name: outdated_owners
-- Some owners of whom a model has not embedded all entries, and who they are.
SELECT outdated.owner_id, owner.tenant_id, owner.user_id
FROM (
    (SELECT owner_id FROM recall_models WHERE model < :model LIMIT :limit)
    UNION
    (SELECT owner_id FROM recall_models WHERE model > :model LIMIT :limit)
) AS outdated
JOIN owners AS owner ON owner.owner_id = outdated.owner_id

-- name: outdated_entries
-- The owner's entries that a model has not embedded, from some session on.
SELECT
    session_id, sequence, turn_number, said_at, speaker, tables, message_ids, text
FROM recall_entries AS entry
WHERE entry.owner_id = :owner_id
  AND entry.session_id >= :first_session
  AND entry.model IS DISTINCT FROM :model
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = entry.session_id
      AND session.expires_at <= :now
  )
ORDER BY entry.session_id, entry.sequence
LIMIT :limit

-- name: count_outdated
-- How many entries of all owners a model has not embedded.
SELECT coalesce(sum(entries), 0)::bigint FROM recall_models WHERE model <> :model
