-- The best of an owner's entries, out of those that are likely, with what is around them.
-- Likely are $2 by words, best first, and $3 by meaning, of which the nearest are taken. Those
-- around the best in their sessions come along for their cosines, all in order; in a log of named
-- speakers those next to the best count as best too. The statement sets the owner itself.
-- Entries are looked up one by one: a join might read all of the owner's, where the planner does
-- not know yet that they are many.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH best AS MATERIALIZED (
        (
            SELECT entry.number, entry.session_id, entry.sequence, entry.speaker IS NOT NULL AS is_named
            FROM unnest($2::integer[]) WITH ORDINALITY AS worded (number, place)
            CROSS JOIN LATERAL (
                SELECT number, session_id, sequence, speaker, message_ids FROM recall_entries
                WHERE owner_id = scope.owner_id AND number = worded.number
                LIMIT 1
            ) AS entry
            WHERE $7::uuid[] IS NULL OR NOT entry.message_ids && $7
            ORDER BY worded.place
            LIMIT $6
        )
        UNION
        (
            SELECT entry.number, entry.session_id, entry.sequence, entry.speaker IS NOT NULL
            FROM unnest($3::integer[]) AS likely (number)
            CROSS JOIN LATERAL (
                SELECT number, session_id, sequence, speaker, message_ids, model_key, vector
                FROM recall_entries
                WHERE owner_id = scope.owner_id AND number = likely.number
                LIMIT 1
            ) AS entry
            WHERE entry.model_key = $5
              AND entry.vector IS NOT NULL
              AND ($7::uuid[] IS NULL OR NOT entry.message_ids && $7)
            ORDER BY inner_product(entry.vector, (SELECT $4::text::halfvec)) DESC
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
                LIMIT $8 + best.is_named::integer
            )
            UNION ALL
            (
                SELECT number, row_number() OVER (ORDER BY sequence) FROM recall_entries
                WHERE owner_id = scope.owner_id
                  AND session_id = best.session_id
                  AND sequence > best.sequence
                ORDER BY sequence
                LIMIT $8 + best.is_named::integer
            )
        ) AS near
        GROUP BY near.number
    ), told AS (
        SELECT
            entry.*,
            CASE WHEN entry.model_key = $5
                THEN inner_product(entry.vector, (SELECT $4::text::halfvec)) END AS semantic,
            shown.is_best OR shown.is_beside
                AND entry.speaker IS NOT NULL
                AND ($7::uuid[] IS NULL OR NOT entry.message_ids && $7) AS is_best
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
    LIMIT $9
) AS found
