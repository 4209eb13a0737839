-- The best entries of an owner by words, and by the cosines that another store has found.
-- Those around the best in their sessions come along for their scores, all in order; in a log
-- of named speakers those next to the best count as best too.
-- Narrowed ($20) by what only the entries tell, all are looked at. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries,
            $8::float8 * (1 - $9::float8) AS fixed,
            $8::float8 * $9::float8 * entries / greatest(length, 1) AS for_length
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
          AND session.expires_at <= $11
    ), near AS MATERIALIZED (
        SELECT number, cosine FROM unnest($4::integer[], $5::float8[]) AS near (number, cosine)
    ), likely AS MATERIALIZED (
        (
            SELECT number FROM worded
            WHERE (SELECT count(*) = 0 FROM expired) OR number NOT IN (SELECT number FROM expired)
            ORDER BY lexical DESC
            LIMIT CASE WHEN $20::boolean THEN $19 ELSE $7 + coalesce(cardinality($17::uuid[]), 0) END
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
            CASE WHEN entry.model_key = $6 THEN near.cosine END AS semantic
        FROM likely
        JOIN recall_entries AS entry ON entry.number = likely.number
        LEFT JOIN worded ON worded.number = entry.number
        LEFT JOIN near ON near.number = entry.number
        WHERE entry.owner_id = scope.owner_id
          AND ($10::uuid IS NULL OR entry.session_id = $10)
          AND ($12::timestamptz IS NULL OR entry.said_at >= $12)
          AND ($13::timestamptz IS NULL OR entry.said_at < $13)
          AND ($14::text[] IS NULL OR entry.tables && $14)
          AND ($15::text[] IS NULL OR NOT EXISTS (
              SELECT FROM unnest(entry.tables) AS name WHERE split_part(name, '.', 1) <> ALL($15)
          ))
          AND ($16::text IS NULL OR entry.speaker = $16)
          AND ($17::uuid[] IS NULL OR NOT entry.message_ids && $17)
    ), best AS MATERIALIZED (
        (
            SELECT number, session_id, sequence, is_named FROM scored WHERE lexical > 0
            ORDER BY lexical DESC
            LIMIT $7
        )
        UNION
        (
            SELECT number, session_id, sequence, is_named FROM scored WHERE semantic IS NOT NULL
            ORDER BY semantic DESC
            LIMIT $7
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
                LIMIT $18 + best.is_named::integer
            )
            UNION ALL
            (
                SELECT number, row_number() OVER (ORDER BY sequence) FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND session_id = best.session_id
                  AND sequence > best.sequence
                ORDER BY sequence
                LIMIT $18 + best.is_named::integer
            )
        ) AS around
        GROUP BY around.number
    ), told AS (
        SELECT
            entry.*,
            coalesce(worded.lexical, 0) AS lexical,
            CASE WHEN entry.model_key = $6 THEN near.cosine END AS semantic,
            shown.is_best OR shown.is_beside
                AND entry.speaker IS NOT NULL
                AND ($12::timestamptz IS NULL OR entry.said_at >= $12)
                AND ($13::timestamptz IS NULL OR entry.said_at < $13)
                AND ($14::text[] IS NULL OR entry.tables && $14)
                AND ($15::text[] IS NULL OR NOT EXISTS (
                    SELECT FROM unnest(entry.tables) AS name
                    WHERE split_part(name, '.', 1) <> ALL($15)
                ))
                AND ($16::text IS NULL OR entry.speaker = $16)
                AND ($17::uuid[] IS NULL OR NOT entry.message_ids && $17) AS is_best
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
    LIMIT $19
) AS found
