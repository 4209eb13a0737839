-- The scores of all entries of an owner with fewer than $6.
-- A row for each session has them by meaning, in the order of its entries; those by words are in
-- a row of their own, without a session. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries,
            entries < $6 AS is_small,
            $7::float8 * (1 - $8::float8) AS fixed,
            $7::float8 * $8::float8 * entries / greatest(length, 1) AS for_length
        FROM recall_owners
        WHERE owner_id = scope.owner_id
    ), asked AS MATERIALIZED (
        SELECT
            asked.term,
            asked.weight * ($7::float8 + 1)
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
            CASE WHEN model_key = $5 THEN inner_product(vector, (SELECT $4::text::halfvec)) END AS semantic,
            ($11::timestamptz IS NULL OR said_at >= $11)
                AND ($12::timestamptz IS NULL OR said_at < $12)
                AND ($13::text[] IS NULL OR tables && $13)
                AND ($14::text[] IS NULL OR NOT EXISTS (
                    SELECT FROM unnest(tables) AS name WHERE split_part(name, '.', 1) <> ALL($14)
                ))
                AND ($15::text IS NULL OR coalesce(speaker = $15, false))
                AND ($16::uuid[] IS NULL OR NOT message_ids && $16) AS is_meant
        FROM recall_entries
        WHERE owner_id = scope.owner_id
          AND session_id >= coalesce($9, '00000000-0000-0000-0000-000000000000'::uuid)
          AND session_id <= coalesce($9, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
          AND session_id <> ALL((
            SELECT coalesce(array_agg(session_id), '{}') FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= $10
          )::uuid[])
          AND (SELECT is_small FROM size)
        ORDER BY session_id, sequence
        OFFSET 0
    ) AS compared
    GROUP BY session_id
    LIMIT $17
) AS found
