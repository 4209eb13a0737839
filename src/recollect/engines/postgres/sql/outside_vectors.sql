-- Outside vectors: entries whose vectors another store has.

-- name: claim_entries
-- Note that another store may have a copy of entries from now on, and give their numbers.
-- What a third store had of them is to go from there; what was to go from this one stays.
WITH named AS (
    SELECT entry.session_id, entry.sequence, entry.number, entry.kept_in
    FROM json_to_recordset(:entries::text::json) AS said (
        session_id uuid, sequence bigint, message_ids uuid[], text text
    )
    JOIN recall_entries AS entry
        ON entry.session_id = said.session_id AND entry.sequence = said.sequence
    WHERE entry.owner_id = :owner_id
      AND entry.message_ids = said.message_ids
      AND entry.text = said.text
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
-- The oldest of what still has to go from another store.
SELECT removal_id, owner_id, session_id, number FROM recall_removals
WHERE kept_in = :store
ORDER BY removal_id
LIMIT :limit

-- name: finish_removals
-- These are gone from the other store.
DELETE FROM recall_removals
WHERE owner_id = :owner_id AND removal_id = ANY(:removal_ids::bigint[])

-- name: count_removals
-- How much still has to go from another store.
SELECT count(*) FROM recall_removals WHERE kept_in = :store

-- name: search_outside_entries
-- The best entries of an owner by words, and by the cosines that another store has found.
-- Those around the best in their sessions come along for their scores, all in order; in a log
-- of named speakers those next to the best count as best too.
-- Narrowed (:is_filtered) by what only the entries tell, all are looked at. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries,
            :k1::float8 * (1 - :b::float8) AS fixed,
            :k1::float8 * :b::float8 * entries / greatest(length, 1) AS for_length
        FROM recall_owners
        WHERE owner_id = scope.owner_id
    ), asked AS MATERIALIZED (
        SELECT
            asked.term,
            asked.weight * (:k1::float8 + 1)
                * ln(1 + (size.entries - known.entries + 0.5) / (known.entries + 0.5)) AS worth,
            size.fixed,
            size.for_length
        FROM size
        CROSS JOIN unnest(:terms::integer[], :weights::float8[]) AS asked (term, weight)
        CROSS JOIN LATERAL (
            SELECT count(*)::float8 AS entries FROM recall_words AS word
            WHERE word.owner_id = scope.owner_id AND word.term = asked.term
        ) AS known
    ), worded AS MATERIALIZED (
        SELECT
            word.number,
            sum(asked.worth * word.count
                / (word.count + asked.fixed + asked.for_length * word.length)) AS lexical
        FROM asked JOIN recall_words AS word ON word.term = asked.term
        WHERE word.owner_id = scope.owner_id
        GROUP BY word.number
    ), expired AS MATERIALIZED (
        SELECT entry.number
        FROM sessions AS session
        JOIN recall_entries AS entry ON entry.session_id = session.session_id
        WHERE session.owner_id = scope.owner_id
          AND entry.owner_id = scope.owner_id
          AND session.expires_at <= :now
    ), near AS MATERIALIZED (
        SELECT number, cosine FROM unnest(:numbers::integer[], :cosines::float8[]) AS near (number, cosine)
    ), likely AS MATERIALIZED (
        (
            SELECT number FROM worded
            WHERE (SELECT count(*) = 0 FROM expired) OR number NOT IN (SELECT number FROM expired)
            ORDER BY lexical DESC
            LIMIT CASE WHEN :is_filtered::boolean THEN :row_limit ELSE :count + coalesce(cardinality(:without::uuid[]), 0) END
        )
        UNION
        (
            SELECT number FROM near
            WHERE (SELECT count(*) = 0 FROM expired) OR number NOT IN (SELECT number FROM expired)
        )
    ), scored AS MATERIALIZED (
        SELECT
            entry.number, entry.session_id, entry.sequence,
            entry.speaker IS NOT NULL AS is_named,
            coalesce(worded.lexical, 0) AS lexical,
            CASE WHEN entry.model_key = :model_key THEN near.cosine END AS semantic
        FROM likely
        JOIN recall_entries AS entry ON entry.number = likely.number
        LEFT JOIN worded ON worded.number = entry.number
        LEFT JOIN near ON near.number = entry.number
        WHERE entry.owner_id = scope.owner_id
          AND (:session_id::uuid IS NULL OR entry.session_id = :session_id)
          AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
          AND (:until::timestamptz IS NULL OR entry.said_at < :until)
          AND (:tables::text[] IS NULL OR entry.tables && :tables)
          AND (:databases::text[] IS NULL OR NOT EXISTS (
              SELECT FROM unnest(entry.tables) AS name WHERE split_part(name, '.', 1) <> ALL(:databases)
          ))
          AND (:speaker::text IS NULL OR entry.speaker = :speaker)
          AND (:without::uuid[] IS NULL OR NOT entry.message_ids && :without)
    ), best AS MATERIALIZED (
        (
            SELECT number, session_id, sequence, is_named FROM scored WHERE lexical > 0
            ORDER BY lexical DESC
            LIMIT :count
        )
        UNION
        (
            SELECT number, session_id, sequence, is_named FROM scored WHERE semantic IS NOT NULL
            ORDER BY semantic DESC
            LIMIT :count
        )
    ), shown AS MATERIALIZED (
        SELECT
            around.number,
            bool_or(around.distance = 0) AS is_best,
            bool_or(around.distance = 1 AND best.is_named) AS is_beside
        FROM best
        CROSS JOIN LATERAL (
            SELECT best.number, 0 AS distance
            UNION ALL
            (
                SELECT number, row_number() OVER (ORDER BY sequence DESC) FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND session_id = best.session_id
                  AND sequence < best.sequence
                ORDER BY sequence DESC
                LIMIT :reach + best.is_named::integer
            )
            UNION ALL
            (
                SELECT number, row_number() OVER (ORDER BY sequence) FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND session_id = best.session_id
                  AND sequence > best.sequence
                ORDER BY sequence
                LIMIT :reach + best.is_named::integer
            )
        ) AS around
        GROUP BY around.number
    ), told AS (
        SELECT
            entry.*,
            coalesce(worded.lexical, 0) AS lexical,
            CASE WHEN entry.model_key = :model_key THEN near.cosine END AS semantic,
            shown.is_best OR shown.is_beside
                AND entry.speaker IS NOT NULL
                AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
                AND (:until::timestamptz IS NULL OR entry.said_at < :until)
                AND (:tables::text[] IS NULL OR entry.tables && :tables)
                AND (:databases::text[] IS NULL OR NOT EXISTS (
                    SELECT FROM unnest(entry.tables) AS name
                    WHERE split_part(name, '.', 1) <> ALL(:databases)
                ))
                AND (:speaker::text IS NULL OR entry.speaker = :speaker)
                AND (:without::uuid[] IS NULL OR NOT entry.message_ids && :without) AS is_best
        FROM shown
        JOIN recall_entries AS entry ON entry.number = shown.number
        LEFT JOIN worded ON worded.number = entry.number
        LEFT JOIN near ON near.number = entry.number
        WHERE entry.owner_id = scope.owner_id
    )
    SELECT
        is_best, session_id, sequence, lexical, semantic,
        CASE WHEN is_best THEN turn_number END AS turn_number,
        CASE WHEN is_best THEN said_at END AS said_at,
        CASE WHEN is_best THEN speaker END AS speaker,
        CASE WHEN is_best THEN tables END AS tables,
        CASE WHEN is_best THEN message_ids END AS message_ids,
        CASE WHEN is_best THEN text END AS text
    FROM told
    ORDER BY session_id, sequence
    LIMIT :row_limit
) AS found
