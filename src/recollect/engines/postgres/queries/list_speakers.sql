-- Those who speak in the owner's entries, each once; the statement sets the owner itself.
-- It steps from name to name through the index: an owner has few names and many entries.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH RECURSIVE named AS (
        (
            SELECT speaker FROM recall_entries
            WHERE owner_id = scope.owner_id AND speaker IS NOT NULL
            ORDER BY speaker
            LIMIT 1
        )
        UNION ALL
        SELECT (
            SELECT entry.speaker FROM recall_entries AS entry
            WHERE entry.owner_id = scope.owner_id AND entry.speaker > named.speaker
            ORDER BY entry.speaker
            LIMIT 1
        )
        FROM named
        WHERE named.speaker IS NOT NULL
    )
    SELECT speaker FROM named
    WHERE speaker IS NOT NULL
    LIMIT $2
) AS found
