-- How an owner's many entries stand, who says the words, and signs of vectors not known yet.
-- They are those after number $3, unless entries that are known have changed since $2; then, and
-- of an owner with fewer than $5 or more than $6, nothing is told but the first row. The words'
-- numbers of entries, counts and lengths come as one number each: packed, half as much to send.
-- The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT
            entries, length, last_number, changes,
            entries BETWEEN $5::bigint AND $6::bigint AND $2::bigint IN (changes, -1) AS is_told
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
              AND session.expires_at <= $8
        ) AS expired,
        NULL::bytea AS numbers, NULL::bytea AS signs, NULL::integer AS term, NULL::bytea AS said
    FROM size
    UNION ALL
    SELECT
        NULL, NULL, NULL, NULL, NULL, NULL,
        array_send(array_agg(number)), array_send(array_agg(bits)), NULL, NULL
    FROM recall_entries
    WHERE owner_id = scope.owner_id
      AND number > $3
      AND model_key = $4
      AND bits IS NOT NULL
      AND (SELECT is_told FROM size)
    HAVING count(*) > 0
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, asked.term, saying.said
    FROM unnest($7::integer[]) AS asked (term)
    CROSS JOIN LATERAL (
        SELECT array_send(array_agg(
            number * 4294967296 + count * 131072::bigint + least(length, 131071)
        )) AS said
        FROM recall_words
        WHERE owner_id = scope.owner_id AND term = asked.term AND (SELECT is_told FROM size)
    ) AS saying
    WHERE saying.said IS NOT NULL
    LIMIT $9
) AS found
