-- The best entries of an owner with many: chosen by words and the signs of vectors, then scored.
-- Those around the best in their sessions come along for their scores, all in order; in a log
-- of named speakers those next to the best count as best too.
-- The statement sets the owner itself. Words are looked up again for each entry that is scored:
-- a join with all that have the words is a loop over them where the planner thinks they are few.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries,
            $8::float8 * (1 - $15::float8) AS fixed,
            $8::float8 * $15::float8 * entries / greatest(length, 1) AS for_length
        FROM recall_owners
        WHERE owner_id = scope.owner_id
    ), asked AS MATERIALIZED (
        SELECT
            asked.term,
            asked.weight * ($8::float8 + 1)
                * ln(1 + (size.entries - known.entries + 0.5) / (known.entries + 0.5)) AS worth,
            size.fixed,
            size.for_length
        FROM size
        CROSS JOIN unnest($2::integer[], $3::float8[]) AS asked (term, weight)
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
          AND session.expires_at <= $10
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
              AND ($11::timestamptz IS NULL AND $12::timestamptz IS NULL OR EXISTS (
                SELECT FROM recall_entries AS entry
                WHERE entry.owner_id = scope.owner_id
                  AND entry.number = worded.number
                  AND ($11::timestamptz IS NULL OR entry.said_at >= $11)
                  AND ($12::timestamptz IS NULL OR entry.said_at < $12)
              ))
            ORDER BY worded.lexical DESC
            LIMIT $6 + coalesce(cardinality($13::uuid[]), 0)
        )
        UNION
        (
            -- Distance and number in one: a sort of single numbers copies no rows, a fifth faster.
            SELECT (distance_and_number & 2147483647)::integer
            FROM (
                SELECT
                    hamming_distance(bits, (SELECT binary_quantize($4::text::halfvec)))::bigint
                        * 2147483648 + number AS distance_and_number
                FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND $5::integer IS NOT NULL
                  AND model_key = $5
                  AND (
                    (SELECT count(*) = 0 FROM expired) OR number NOT IN (SELECT number FROM expired)
                  )
                  AND ($11::timestamptz IS NULL OR said_at >= $11)
                  AND ($12::timestamptz IS NULL OR said_at < $12)
                ORDER BY distance_and_number
                LIMIT $7 + coalesce(cardinality($13::uuid[]), 0)
            ) AS nearest
        )
    ), scored AS MATERIALIZED (
        SELECT
            entry.number, entry.session_id, entry.sequence,
            entry.speaker IS NOT NULL AS is_named,
            said.lexical,
            CASE WHEN entry.model_key = $5
                THEN inner_product(entry.vector, (SELECT $4::text::halfvec)) END AS semantic
        FROM likely
        JOIN recall_entries AS entry ON entry.number = likely.number
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(asked.worth * word.count
                / (word.count + asked.fixed + asked.for_length * word.length)), 0) AS lexical
            FROM asked JOIN recall_words AS word ON word.term = asked.term
            WHERE word.owner_id = scope.owner_id AND word.number = entry.number
        ) AS said
        WHERE entry.owner_id = scope.owner_id
          AND ($13::uuid[] IS NULL OR NOT entry.message_ids && $13)
    ), best AS MATERIALIZED (
        (
            SELECT number, session_id, sequence, is_named FROM scored WHERE lexical > 0
            ORDER BY lexical DESC
            LIMIT $6
        )
        UNION
        (
            SELECT number, session_id, sequence, is_named FROM scored WHERE semantic IS NOT NULL
            ORDER BY semantic DESC
            LIMIT $6
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
                LIMIT $14 + best.is_named::integer
            )
            UNION ALL
            (
                SELECT number, row_number() OVER (ORDER BY sequence) FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND session_id = best.session_id
                  AND sequence > best.sequence
                ORDER BY sequence
                LIMIT $14 + best.is_named::integer
            )
        ) AS near
        GROUP BY near.number
    ), told AS (
        SELECT
            entry.*,
            said.lexical,
            CASE WHEN entry.model_key = $5
                THEN inner_product(entry.vector, (SELECT $4::text::halfvec)) END AS semantic,
            shown.is_best OR shown.is_beside
                AND entry.speaker IS NOT NULL
                AND ($11::timestamptz IS NULL OR entry.said_at >= $11)
                AND ($12::timestamptz IS NULL OR entry.said_at < $12)
                AND ($13::uuid[] IS NULL OR NOT entry.message_ids && $13) AS is_best
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
    LIMIT $9
) AS found
