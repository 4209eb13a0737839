-- Outside vectors: entries whose vectors another store has.

-- name: claim_entries
-- Note that another store may have a copy of entries from now on, and give their numbers.
-- What a third store had of them is to go from there; what was to go from this one stays.
WITH named AS (
    SELECT entry.session_id, entry.sequence, entry.number, entry.kept_in
    FROM json_to_recordset(:entries::text::json) AS given (
        session_id uuid, sequence bigint, message_ids uuid[], texts text[]
    )
    JOIN recall_entries AS entry
        ON entry.session_id = given.session_id AND entry.sequence = given.sequence
    WHERE entry.owner_id = :owner_id
      AND entry.message_ids = given.message_ids
      AND entry.text = ANY(given.texts)
), claimed AS (
    UPDATE recall_entries AS entry
    SET kept_in = :store,
        model = CASE WHEN entry.vector IS NOT NULL THEN entry.model END,
        model_key = CASE WHEN entry.vector IS NOT NULL THEN entry.model_key END
    FROM named
    WHERE entry.owner_id = :owner_id
      AND entry.number = named.number
      AND named.kept_in IS DISTINCT FROM :store
    RETURNING entry.number
), wanted AS (
    DELETE FROM recall_removals AS removal
    USING claimed
    WHERE removal.owner_id = :owner_id AND removal.kept_in = :store AND removal.number = claimed.number
)
SELECT session_id, sequence, number FROM named

-- name: place_entries
-- The vectors of entries of some sessions are in another store now; what is gone is to go there.
WITH placed AS (
    SELECT session_id, number FROM unnest(:session_ids::uuid[], :numbers::integer[]) AS placed (session_id, number)
), marked AS (
    UPDATE recall_entries AS entry
    SET model = :model, model_key = :model_key, vector = NULL, bits = NULL
    FROM placed
    WHERE entry.owner_id = :owner_id
      AND entry.number = placed.number
      AND entry.session_id = placed.session_id
      AND entry.kept_in = :store
      AND entry.session_id = ANY(:living_sessions::uuid[])
    RETURNING entry.number
)
INSERT INTO recall_removals (owner_id, kept_in, session_id, number)
SELECT :owner_id, :store, session_id, number FROM placed
WHERE number NOT IN (SELECT number FROM marked)

-- name: displace_entries
-- The vectors of entries are not where they were thought to be; they have to be embedded again.
UPDATE recall_entries
SET model = NULL, model_key = NULL
WHERE owner_id = :owner_id
  AND kept_in = :store
  AND vector IS NULL
  AND number = ANY(:numbers::integer[])
  AND session_id = ANY(:session_ids::uuid[])

-- name: keys_of_entries
-- What another store may have of an owner, or should have of a model.
SELECT session_id, number FROM recall_entries
WHERE owner_id = :owner_id AND kept_in = :store AND (:model::text IS NULL OR model = :model)

-- name: owners_of_model
-- Whose entries a model has embedded.
SELECT owner_id FROM recall_models WHERE model = :model AND entries > 0

-- name: removals_from
-- The oldest of what still has to go from another store; an erasure under way removes its own.
SELECT removal_id, owner_id, session_id, number FROM recall_removals AS removal
WHERE kept_in = :store
  AND NOT EXISTS (
    SELECT FROM erasures AS erasure
    WHERE erasure.owner_id = removal.owner_id AND erasure.state = 'under_way'
  )
ORDER BY removal_id
LIMIT :limit

-- name: finish_removals
-- These are gone from the other store.
DELETE FROM recall_removals
WHERE owner_id = :owner_id AND removal_id = ANY(:removal_ids::bigint[])

-- name: count_removals
-- How much still has to go from another store.
SELECT count(*) FROM recall_removals WHERE kept_in = :store
