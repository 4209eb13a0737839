-- Recall: search the entries of an owner.

-- name: score_entries
-- The scores of all entries of an owner with fewer than :max_entries.
-- A row for each session has them by meaning, in the order of its entries; those by words are in
-- a row of their own, without a session. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries,
            entries < :max_entries AS is_small,
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
        WHERE size.is_small
    ), worded AS MATERIALIZED (
        SELECT
            word.number,
            sum(asked.worth * word.count
                / (word.count + asked.fixed + asked.for_length * word.length)) AS lexical
        FROM asked JOIN recall_words AS word ON word.term = asked.term
        WHERE word.owner_id = scope.owner_id
        GROUP BY word.number
    )
    -- An owner with too many has not even this row.
    SELECT
        NULL::uuid AS session_id, array_agg(number) AS numbers, array_agg(lexical) AS scores,
        NULL::integer[] AS named, NULL::integer[] AS left_out
    FROM worded
    HAVING (SELECT is_small FROM size)
    UNION ALL
    SELECT
        session_id, array_agg(number), array_agg(semantic),
        array_agg(number) FILTER (WHERE is_named),
        array_agg(number) FILTER (WHERE NOT is_meant)
    FROM (
        SELECT
            number, session_id, speaker IS NOT NULL AS is_named,
            CASE WHEN model_key = :model_key THEN inner_product(vector, (SELECT :vector::text::halfvec)) END AS semantic,
            (:since::timestamptz IS NULL OR said_at >= :since)
                AND (:until::timestamptz IS NULL OR said_at < :until)
                AND (:tables::text[] IS NULL OR tables && :tables)
                AND (:databases::text[] IS NULL OR NOT EXISTS (
                    SELECT FROM unnest(tables) AS name WHERE split_part(name, '.', 1) <> ALL(:databases)
                ))
                AND (:speaker::text IS NULL OR coalesce(speaker = :speaker, false))
                AND (:without::uuid[] IS NULL OR NOT message_ids && :without) AS is_meant
        FROM recall_entries
        WHERE owner_id = scope.owner_id
          AND session_id >= coalesce(:session_id, '00000000-0000-0000-0000-000000000000'::uuid)
          AND session_id <= coalesce(:session_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
          AND session_id <> ALL((
            SELECT coalesce(array_agg(session_id), '{}') FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= :now
          )::uuid[])
          AND (SELECT is_small FROM size)
        ORDER BY session_id, sequence
        OFFSET 0
    ) AS compared
    GROUP BY session_id
    LIMIT :row_limit
) AS found

-- name: read_scored_entries
-- Some entries of an owner, by their numbers, in no order. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        number, session_id, turn_number, sequence, message_ids, text, said_at, speaker,
        CASE WHEN tables <> '{}' THEN tables END AS tables
    FROM recall_entries
    WHERE owner_id = scope.owner_id AND number = ANY(:numbers::integer[])
    LIMIT :row_limit
) AS found

-- name: search_many_entries
-- The best entries of an owner with many: chosen by words and the signs of vectors, then scored.
-- Those around the best in their sessions come along for their scores, all in order; in a log
-- of named speakers those next to the best count as best too.
-- The statement sets the owner itself. Words are looked up again for each entry that is scored:
-- a join with all that have the words is a loop over them where the planner thinks they are few.
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
    ), expired AS MATERIALIZED (
        SELECT entry.number
        FROM sessions AS session
        JOIN recall_entries AS entry ON entry.session_id = session.session_id
        WHERE session.owner_id = scope.owner_id
          AND entry.owner_id = scope.owner_id
          AND session.expires_at <= :now
    ), likely AS MATERIALIZED (
        (
            SELECT worded.number
            FROM (
                SELECT
                    word.number,
                    sum(asked.worth * word.count
                        / (word.count + asked.fixed + asked.for_length * word.length)) AS lexical
                FROM asked JOIN recall_words AS word ON word.term = asked.term
                WHERE word.owner_id = scope.owner_id
                GROUP BY word.number
                OFFSET 0
            ) AS worded
            WHERE ((SELECT count(*) = 0 FROM expired) OR worded.number NOT IN (SELECT number FROM expired))
              AND (:since::timestamptz IS NULL AND :until::timestamptz IS NULL OR EXISTS (
                SELECT FROM recall_entries AS entry
                WHERE entry.owner_id = scope.owner_id
                  AND entry.number = worded.number
                  AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
                  AND (:until::timestamptz IS NULL OR entry.said_at < :until)
              ))
            ORDER BY worded.lexical DESC
            LIMIT :count + coalesce(cardinality(:without::uuid[]), 0)
        )
        UNION
        (
            -- Distance and number in one: a sort of single numbers copies no rows, a fifth faster.
            SELECT (distance_and_number & 2147483647)::integer
            FROM (
                SELECT
                    hamming_distance(bits, (SELECT binary_quantize(:vector::text::halfvec)))::bigint
                        * 2147483648 + number AS distance_and_number
                FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND :model_key::integer IS NOT NULL
                  AND model_key = :model_key
                  AND (
                    (SELECT count(*) = 0 FROM expired) OR number NOT IN (SELECT number FROM expired)
                  )
                  AND (:since::timestamptz IS NULL OR said_at >= :since)
                  AND (:until::timestamptz IS NULL OR said_at < :until)
                ORDER BY distance_and_number
                LIMIT :rescoring_count + coalesce(cardinality(:without::uuid[]), 0)
            ) AS nearest
        )
    ), scored AS MATERIALIZED (
        SELECT
            entry.number, entry.session_id, entry.sequence,
            entry.speaker IS NOT NULL AS is_named,
            said.lexical,
            CASE WHEN entry.model_key = :model_key
                THEN inner_product(entry.vector, (SELECT :vector::text::halfvec)) END AS semantic
        FROM likely
        JOIN recall_entries AS entry ON entry.number = likely.number
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(asked.worth * word.count
                / (word.count + asked.fixed + asked.for_length * word.length)), 0) AS lexical
            FROM asked JOIN recall_words AS word ON word.term = asked.term
            WHERE word.owner_id = scope.owner_id AND word.number = entry.number
        ) AS said
        WHERE entry.owner_id = scope.owner_id
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
            near.number,
            bool_or(near.distance = 0) AS is_best,
            bool_or(near.distance = 1 AND best.is_named) AS is_beside
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
        ) AS near
        GROUP BY near.number
    ), told AS (
        SELECT
            entry.*,
            said.lexical,
            CASE WHEN entry.model_key = :model_key
                THEN inner_product(entry.vector, (SELECT :vector::text::halfvec)) END AS semantic,
            shown.is_best OR shown.is_beside
                AND entry.speaker IS NOT NULL
                AND (:since::timestamptz IS NULL OR entry.said_at >= :since)
                AND (:until::timestamptz IS NULL OR entry.said_at < :until)
                AND (:without::uuid[] IS NULL OR NOT entry.message_ids && :without) AS is_best
        FROM shown
        JOIN recall_entries AS entry ON entry.number = shown.number
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(asked.worth * word.count
                / (word.count + asked.fixed + asked.for_length * word.length)), 0) AS lexical
            FROM asked JOIN recall_words AS word ON word.term = asked.term
            WHERE word.owner_id = scope.owner_id AND word.number = entry.number
        ) AS said
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

-- name: entries_now
-- How an owner's entries stand, for a process that keeps them at hand.
-- Nothing is to be read if that is how it knows them. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        entries, last_number, changes,
        (
            SELECT array_agg(session_id) FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= :now
        ) AS expired
    FROM recall_owners
    WHERE owner_id = scope.owner_id
    LIMIT 1
) AS found

-- name: entries_since
-- How an owner's entries stand, and those whom a process that keeps them at hand does not have:
-- the ones after the last number it knows, or all if others have changed since. An owner with
-- :max_entries or more has none here. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT entries, last_number, changes FROM recall_owners WHERE owner_id = scope.owner_id
    )
    SELECT
        size.entries, size.last_number, size.changes,
        (
            SELECT array_agg(session_id) FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= :now
        ) AS expired,
        NULL::integer AS number, NULL::uuid AS session_id, NULL::bigint AS turn_number,
        NULL::bigint AS sequence, NULL::uuid[] AS message_ids, NULL::text AS text,
        NULL::timestamptz AS said_at, NULL::text AS speaker, NULL::text[] AS tables,
        NULL::integer AS length, NULL::integer AS model_key, NULL::bytea AS vector,
        NULL::integer[] AS terms, NULL::smallint[] AS counts
    FROM size
    UNION ALL
    SELECT
        NULL, NULL, NULL, NULL,
        entry.number, entry.session_id, entry.turn_number, entry.sequence, entry.message_ids,
        entry.text, entry.said_at, entry.speaker, CASE WHEN entry.tables <> '{}' THEN entry.tables END,
        entry.length, entry.model_key, halfvec_send(entry.vector), entry.terms, entry.counts
    FROM recall_entries AS entry
    WHERE entry.owner_id = scope.owner_id
      AND entry.number > (SELECT CASE WHEN changes = :known_changes THEN :last_number::integer ELSE 0 END FROM size)
      AND (SELECT entries < :max_entries FROM size)
    LIMIT :row_limit
) AS found

-- name: words_and_signs
-- How an owner's many entries stand, who says the words, and signs of vectors not known yet.
-- They are those after number :last_number, unless entries that are known have changed since :known_changes; then, and
-- of an owner with fewer than :min_entries or more than :max_entries, nothing is told but the first row. The words'
-- numbers of entries, counts and lengths come as one number each: packed, half as much to send.
-- The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries, length, last_number, changes,
            entries BETWEEN :min_entries::bigint AND :max_entries::bigint AND :known_changes::bigint IN (changes, -1) AS is_told
        FROM recall_owners
        WHERE owner_id = scope.owner_id
    )
    SELECT
        size.is_told, size.entries, size.length, size.last_number, size.changes,
        (
            SELECT array_agg(entry.number)
            FROM sessions AS session
            JOIN recall_entries AS entry ON entry.session_id = session.session_id
            WHERE session.owner_id = scope.owner_id
              AND entry.owner_id = scope.owner_id
              AND session.expires_at <= :now
        ) AS expired,
        NULL::bytea AS numbers, NULL::bytea AS signs, NULL::integer AS term, NULL::bytea AS said
    FROM size
    UNION ALL
    SELECT
        NULL, NULL, NULL, NULL, NULL, NULL,
        array_send(array_agg(number)), array_send(array_agg(bits)), NULL, NULL
    FROM recall_entries
    WHERE owner_id = scope.owner_id
      AND number > :last_number
      AND model_key = :model_key
      AND bits IS NOT NULL
      AND (SELECT is_told FROM size)
    HAVING count(*) > 0
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, asked.term, saying.said
    FROM unnest(:terms::integer[]) AS asked (term)
    CROSS JOIN LATERAL (
        SELECT array_send(array_agg(
            number * 4294967296 + count * 131072::bigint + least(length, 131071)
        )) AS said
        FROM recall_words
        WHERE owner_id = scope.owner_id AND term = asked.term AND (SELECT is_told FROM size)
    ) AS saying
    WHERE saying.said IS NOT NULL
    LIMIT :row_limit
) AS found

-- name: read_likely_entries
-- The best of an owner's entries, out of those that are likely, with what is around them.
-- Likely are :worded by words, best first, and :likely by meaning, of which the nearest are taken. Those
-- around the best in their sessions come along for their cosines, all in order; in a log of named
-- speakers those next to the best count as best too. The statement sets the owner itself.
-- Entries are looked up one by one: a join might read all of the owner's, where the planner does
-- not know yet that they are many.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH best AS MATERIALIZED (
        (
            SELECT entry.number, entry.session_id, entry.sequence, entry.speaker IS NOT NULL AS is_named
            FROM unnest(:worded::integer[]) WITH ORDINALITY AS worded (number, place)
            CROSS JOIN LATERAL (
                SELECT number, session_id, sequence, speaker, message_ids FROM recall_entries
                WHERE owner_id = scope.owner_id AND number = worded.number
                LIMIT 1
            ) AS entry
            WHERE :without::uuid[] IS NULL OR NOT entry.message_ids && :without
            ORDER BY worded.place
            LIMIT :count
        )
        UNION
        (
            SELECT entry.number, entry.session_id, entry.sequence, entry.speaker IS NOT NULL
            FROM unnest(:likely::integer[]) AS likely (number)
            CROSS JOIN LATERAL (
                SELECT number, session_id, sequence, speaker, message_ids, model_key, vector
                FROM recall_entries
                WHERE owner_id = scope.owner_id AND number = likely.number
                LIMIT 1
            ) AS entry
            WHERE entry.model_key = :model_key
              AND entry.vector IS NOT NULL
              AND (:without::uuid[] IS NULL OR NOT entry.message_ids && :without)
            ORDER BY inner_product(entry.vector, (SELECT :vector::text::halfvec)) DESC
            LIMIT :count
        )
    ), shown AS MATERIALIZED (
        SELECT
            near.number,
            bool_or(near.distance = 0) AS is_best,
            bool_or(near.distance = 1 AND best.is_named) AS is_beside
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
        ) AS near
        GROUP BY near.number
    ), told AS (
        SELECT
            entry.*,
            CASE WHEN entry.model_key = :model_key
                THEN inner_product(entry.vector, (SELECT :vector::text::halfvec)) END AS semantic,
            shown.is_best OR shown.is_beside
                AND entry.speaker IS NOT NULL
                AND (:without::uuid[] IS NULL OR NOT entry.message_ids && :without) AS is_best
        FROM shown
        CROSS JOIN LATERAL (
            SELECT * FROM recall_entries
            WHERE owner_id = scope.owner_id AND number = shown.number
            LIMIT 1
        ) AS entry
    )
    SELECT
        is_best, number, session_id, sequence, semantic,
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
