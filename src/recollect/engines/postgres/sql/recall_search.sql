-- Recall: search the entries of an owner.

-- name: search_entries
-- The best entries of an owner by words and by meaning, with the entries around them.
-- The statement sets the owner itself. Rows come in the order of sessions; `is_best` marks the
-- best, the others are there for their scores and, in logs, for what is next to the best.
--
-- Words are scored by BM25 over all entries of the owner, as a share of the highest score possible. Meaning has two stages: a first pass
-- over the binary-quantised vectors in the index recall_by_number chooses :rescored entries,
-- whose vectors are then compared. All entries are compared at once if they are few
-- (:exact_up_to), or if a filter needs columns that are not in that index (:is_filtered). A caller
-- that has made the first pass itself gives the numbers it has :chosen. Cosines of a vector store
-- outside come as :outside_numbers and :outside_cosines, without a :vector.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH question AS MATERIALIZED (
        SELECT :vector::text::halfvec AS vector, binary_quantize(:vector::text::halfvec) AS bits
    ), outside AS MATERIALIZED (
        SELECT number, cosine
        FROM unnest(:outside_numbers::integer[], :outside_cosines::float8[]) AS outside (number, cosine)
    ), expired AS MATERIALIZED (
        SELECT entry.number
        FROM sessions AS session
        JOIN recall_entries AS entry ON entry.session_id = session.session_id
        WHERE session.owner_id = :owner_id
          AND entry.owner_id = :owner_id
          AND session.expires_at <= :now
    ), size AS MATERIALIZED (
        SELECT
            entries,
            :k1::float8 * (1 - :b::float8) AS fixed,
            :k1::float8 * :b::float8 * entries / greatest(length, 1) AS for_length,
            :is_filtered::boolean OR entries <= :exact_up_to::bigint AS is_exact,
            EXISTS (SELECT FROM expired) AS has_expired,
            :count::bigint + coalesce(cardinality(:without::uuid[]), 0) AS with_known
        FROM recall_owners
        WHERE owner_id = :owner_id
    ), term AS MATERIALIZED (
        SELECT
            given.term,
            given.weight * (:k1::float8 + 1)
                * ln(1 + (size.entries - known.entries + 0.5) / (known.entries + 0.5)) AS worth,
            size.fixed,
            size.for_length
        FROM size
        CROSS JOIN unnest(:terms::integer[], :weights::float8[]) AS given (term, weight)
        CROSS JOIN LATERAL (
            SELECT count(*)::float8 AS entries FROM recall_words AS word
            WHERE word.owner_id = :owner_id AND word.term = given.term
        ) AS known
    ), bm25 AS MATERIALIZED (
        SELECT
            word.number,
            sum(term.worth * word.count
                / (word.count + term.fixed + term.for_length * word.length))
                / (SELECT sum(worth) FROM term) AS score
        FROM term JOIN recall_words AS word ON word.term = term.term
        WHERE word.owner_id = :owner_id
        GROUP BY word.number
    ), matching AS MATERIALIZED (
        SELECT
            entry.number,
            CASE WHEN entry.model_key = :model_key
                THEN inner_product(entry.vector, (SELECT vector FROM question)) END AS semantic
        FROM recall_entries AS entry
        WHERE (SELECT is_exact FROM size)
          AND entry.owner_id = :owner_id
          AND entry.session_id >= coalesce(:session_id, '00000000-0000-0000-0000-000000000000'::uuid)
          AND entry.session_id <= coalesce(:session_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
          AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
          AND (:until::timestamptz IS NULL OR entry.said_at < :until)
          AND (:tables::text[] IS NULL OR entry.tables && :tables)
          AND (:databases::text[] IS NULL OR NOT EXISTS (
              SELECT FROM unnest(entry.tables) AS name WHERE split_part(name, '.', 1) <> ALL(:databases)
          ))
          AND (:speaker::text IS NULL OR entry.speaker = :speaker)
          AND (:without::uuid[] IS NULL OR NOT entry.message_ids && :without)
    ), candidate AS MATERIALIZED (
        SELECT number, max(lexical) AS lexical
        FROM (
            (
                SELECT number, score AS lexical FROM bm25
                WHERE (NOT (SELECT has_expired FROM size) OR number NOT IN (SELECT number FROM expired))
                  AND (NOT :is_filtered::boolean OR number IN (SELECT number FROM matching))
                  AND (:since::timestamptz IS NULL AND :until::timestamptz IS NULL OR EXISTS (
                      SELECT FROM recall_entries AS entry
                      WHERE entry.owner_id = :owner_id
                        AND entry.number = bm25.number
                        AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
                        AND (:until::timestamptz IS NULL OR entry.said_at < :until)
                  ))
                ORDER BY score DESC
                LIMIT (SELECT with_known FROM size)
            )
            UNION ALL
            (
                SELECT number, 0 FROM matching
                WHERE semantic IS NOT NULL
                  AND (NOT (SELECT has_expired FROM size) OR number NOT IN (SELECT number FROM expired))
                ORDER BY semantic DESC
                LIMIT :count
            )
            UNION ALL
            (
                -- Distance and number as one bigint: sorting these takes a fifth less time than rows.
                SELECT (distance_and_number & 2147483647)::integer, 0
                FROM (
                    SELECT
                        (hamming_distance(bits, (SELECT bits FROM question))::bigint << 31)
                            | number AS distance_and_number
                    FROM recall_entries
                    WHERE :vector::text IS NOT NULL
                      AND :chosen::integer[] IS NULL
                      AND NOT (SELECT is_exact FROM size)
                      AND owner_id = :owner_id
                      AND model_key = :model_key
                      AND (:since::timestamptz IS NULL OR said_at >= :since)
                      AND (:until::timestamptz IS NULL OR said_at < :until)
                      AND (NOT (SELECT has_expired FROM size) OR number NOT IN (SELECT number FROM expired))
                    ORDER BY distance_and_number
                    LIMIT :rescored + (SELECT with_known FROM size) - :count
                ) AS nearest
            )
            UNION ALL
            SELECT number, 0 FROM unnest(:chosen::integer[]) AS chosen (number)
            UNION ALL
            SELECT number, 0 FROM outside
            WHERE (NOT (SELECT has_expired FROM size) OR number NOT IN (SELECT number FROM expired))
              AND (NOT :is_filtered::boolean OR number IN (SELECT number FROM matching))
        ) AS likely
        GROUP BY number
    ), scored AS MATERIALIZED (
        SELECT
            candidate.number, entry.session_id, entry.sequence,
            entry.speaker IS NOT NULL AS is_named,
            candidate.lexical,
            CASE WHEN entry.model_key = :model_key
                THEN coalesce(inner_product(entry.vector, (SELECT vector FROM question)), outside.cosine)
                END AS semantic
        FROM candidate
        CROSS JOIN LATERAL (
            SELECT session_id, sequence, said_at, speaker, model_key, vector, message_ids
            FROM recall_entries
            WHERE owner_id = :owner_id AND number = candidate.number
            LIMIT 1
        ) AS entry
        LEFT JOIN outside ON outside.number = candidate.number
        WHERE (:without::uuid[] IS NULL OR NOT entry.message_ids && :without)
          AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
          AND (:until::timestamptz IS NULL OR entry.said_at < :until)
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
        SELECT near.number, bool_or(near.is_best) AS is_best
        FROM best
        CROSS JOIN LATERAL (
            SELECT best.number, true AS is_best
            UNION ALL
            (
                SELECT number, false FROM recall_entries
                WHERE owner_id = :owner_id
                  AND session_id = best.session_id
                  AND sequence < best.sequence
                ORDER BY sequence DESC
                LIMIT :reach + best.is_named::integer
            )
            UNION ALL
            (
                SELECT number, false FROM recall_entries
                WHERE owner_id = :owner_id
                  AND session_id = best.session_id
                  AND sequence > best.sequence
                ORDER BY sequence
                LIMIT :reach + best.is_named::integer
            )
        ) AS near
        GROUP BY near.number
    ), shown_score AS MATERIALIZED (
        -- CASE keeps this from being planned as a nested loop, which takes seconds for common words.
        SELECT number, score FROM bm25
        WHERE CASE WHEN number IN (SELECT number FROM shown) THEN true END
    )
    SELECT
        shown.is_best, coalesce(shown_score.score, 0) AS lexical,
        CASE WHEN entry.model_key = :model_key
            THEN coalesce(inner_product(entry.vector, (SELECT vector FROM question)), outside.cosine)
            END AS semantic,
        entry.session_id, entry.turn_number, entry.sequence, entry.message_ids,
        CASE WHEN shown.is_best OR entry.speaker IS NOT NULL THEN entry.text END AS text,
        entry.said_at, entry.speaker, entry.tables
    FROM shown
    CROSS JOIN LATERAL (
        SELECT * FROM recall_entries
        WHERE owner_id = :owner_id AND number = shown.number
        LIMIT 1
    ) AS entry
    LEFT JOIN outside ON outside.number = shown.number
    LEFT JOIN shown_score ON shown_score.number = shown.number
    WHERE scope.owner_id = :owner_id
    ORDER BY entry.session_id, entry.sequence
    OFFSET 0
) AS result

-- name: entries_now
-- The state of an owner's entries, by which a cache tells whether it is current.
-- The statement sets the owner itself.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        entries, last_number, changes,
        (
            SELECT array_agg(session_id) FROM sessions
            WHERE owner_id = :owner_id AND expires_at <= :now
        ) AS expired
    FROM recall_owners
    WHERE scope.owner_id = :owner_id AND owner_id = :owner_id
    LIMIT 1
) AS result

-- name: entries_since
-- The state of an owner's entries, in the first row, and the entries that a cache lacks.
-- They are those after the last number it has, or all of them if others have changed since. An
-- owner with more than :max_entries has none here. The statement sets the owner itself.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT entries, last_number, changes FROM recall_owners WHERE owner_id = :owner_id
    )
    SELECT
        size.entries, size.last_number, size.changes,
        (
            SELECT array_agg(session_id) FROM sessions
            WHERE owner_id = :owner_id AND expires_at <= :now
        ) AS expired,
        NULL::integer AS number, NULL::uuid AS session_id, NULL::bigint AS turn_number,
        NULL::bigint AS sequence, NULL::uuid[] AS message_ids, NULL::text AS text,
        NULL::timestamptz AS said_at, NULL::text AS speaker, NULL::text[] AS tables,
        NULL::integer AS model_key, NULL::bytea AS vector,
        NULL::integer[] AS terms, NULL::smallint[] AS counts, NULL::integer AS length
    FROM size
    WHERE scope.owner_id = :owner_id
    UNION ALL
    SELECT
        NULL, NULL, NULL, NULL,
        entry.number, entry.session_id, entry.turn_number, entry.sequence, entry.message_ids,
        entry.text, entry.said_at, entry.speaker, entry.tables,
        entry.model_key, halfvec_send(entry.vector), entry.terms, entry.counts,
        entry.length
    FROM recall_entries AS entry
    WHERE scope.owner_id = :owner_id
      AND entry.owner_id = :owner_id
      AND entry.number > (SELECT CASE WHEN changes = :known_changes THEN :last_number::integer ELSE 0 END FROM size)
      AND (SELECT entries <= :max_entries FROM size)
    OFFSET 0
) AS result

-- name: binary_vectors_since
-- The state of an owner's entries, and the binary-quantised vectors that a cache lacks.
-- They are those of a model after the last number it has. There are none if other entries have
-- changed since, or if the owner has more entries than :max_entries. The statement sets the owner
-- itself.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        size.entries, size.last_number, size.changes,
        EXISTS (
            SELECT FROM sessions WHERE owner_id = :owner_id AND expires_at <= :now
        ) AS has_expired,
        added.numbers, added.bits
    FROM recall_owners AS size
    CROSS JOIN LATERAL (
        SELECT array_send(array_agg(number)) AS numbers, array_send(array_agg(bits)) AS bits
        FROM recall_entries
        WHERE owner_id = :owner_id
          AND number > :last_number::integer
          AND model_key = :model_key
          AND bits IS NOT NULL
          AND size.entries <= :max_entries
          AND :known_changes::bigint IN (size.changes, -1)
    ) AS added
    WHERE scope.owner_id = :owner_id AND size.owner_id = :owner_id
    LIMIT 1
) AS result
