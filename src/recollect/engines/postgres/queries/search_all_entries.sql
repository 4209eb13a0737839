-- Score all entries of an owner, or of a session: the best by words and by meaning, in order.
-- The entries around the best come along for their scores; in a log of named speakers those
-- next to the best count as best too. Where the owner has $7 or more, one row without a
-- session says so. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries,
            entries < $7 AS is_small,
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
        WHERE size.is_small
    ), worded AS MATERIALIZED (
        SELECT
            word.number,
            sum(asked.worth * word.count
                / (word.count + asked.fixed + asked.for_length * word.length)) AS lexical
        FROM asked JOIN recall_words AS word ON word.term = asked.term
        WHERE word.owner_id = scope.owner_id
        GROUP BY word.number
    ), compared AS (
        SELECT
            number, session_id, sequence, turn_number, said_at, speaker, tables, message_ids, text,
            CASE WHEN model_key = $5 THEN inner_product(vector, (SELECT $4::text::halfvec)) END AS semantic,
            ($12::timestamptz IS NULL OR said_at >= $12)
                AND ($13::timestamptz IS NULL OR said_at < $13)
                AND ($14::text[] IS NULL OR tables && $14)
                AND ($15::text[] IS NULL OR NOT EXISTS (
                    SELECT FROM unnest(tables) AS name WHERE split_part(name, '.', 1) <> ALL($15)
                ))
                AND ($16::text IS NULL OR speaker = $16)
                AND ($17::uuid[] IS NULL OR NOT message_ids && $17) AS is_meant
        FROM recall_entries
        WHERE owner_id = scope.owner_id
          AND session_id >= coalesce($10, '00000000-0000-0000-0000-000000000000'::uuid)
          AND session_id <= coalesce($10, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
          AND session_id <> ALL((
            SELECT coalesce(array_agg(session_id), '{}') FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= $11
          )::uuid[])
          AND (SELECT is_small FROM size)
        ORDER BY session_id, sequence
        OFFSET 0
    ), placed AS (
        SELECT *, row_number() OVER (ORDER BY session_id, sequence) AS place FROM compared
    ), scored AS MATERIALIZED (
        -- A full join, since that is never done as a loop over one for each of the other.
        SELECT * FROM (
            SELECT placed.*, coalesce(worded.lexical, 0) AS lexical
            FROM placed FULL JOIN worded ON worded.number = placed.number
            OFFSET 0
        ) AS joined
        WHERE place IS NOT NULL
    ), best AS MATERIALIZED (
        (
            SELECT place, session_id, speaker IS NOT NULL AS is_named FROM scored
            WHERE is_meant AND lexical > 0
            ORDER BY lexical DESC
            LIMIT $6
        )
        UNION
        (
            SELECT place, session_id, speaker IS NOT NULL FROM scored
            WHERE is_meant AND semantic IS NOT NULL
            ORDER BY semantic DESC
            LIMIT $6
        )
    ), shown AS MATERIALIZED (
        SELECT
            best.place + step AS place,
            bool_or(step = 0) AS is_best,
            array_agg(best.session_id) FILTER (WHERE abs(step) = 1 AND best.is_named) AS beside
        FROM best CROSS JOIN generate_series(-$18::integer - 1, $18::integer + 1) AS step
        WHERE abs(step) <= $18::integer + best.is_named::integer
        GROUP BY best.place + step
    )
    SELECT
        is_told AS is_best, session_id, lexical, semantic,
        CASE WHEN is_told THEN speaker END AS speaker,
        sequence,
        CASE WHEN is_told THEN turn_number END AS turn_number,
        CASE WHEN is_told THEN said_at END AS said_at,
        CASE WHEN is_told AND tables <> '{}' THEN tables END AS tables,
        CASE WHEN is_told THEN message_ids END AS message_ids,
        CASE WHEN is_told THEN text END AS text
    FROM (
        SELECT
            scored.*,
            shown.is_best OR coalesce(
                scored.is_meant
                    AND scored.speaker IS NOT NULL
                    AND scored.session_id = ANY(shown.beside),
                false
            ) AS is_told
        FROM shown FULL JOIN scored ON scored.place = shown.place
        OFFSET 0
    ) AS told
    WHERE is_told IS NOT NULL AND session_id IS NOT NULL
    UNION ALL
    SELECT false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM size
    WHERE NOT size.is_small
    ORDER BY session_id, sequence
    LIMIT $7
) AS found
