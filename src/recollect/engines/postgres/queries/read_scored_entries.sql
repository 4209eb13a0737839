-- Some entries of an owner, by their numbers, in no order. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        number, session_id, turn_number, sequence, message_ids, text, said_at, speaker,
        CASE WHEN tables <> '{}' THEN tables END AS tables
    FROM recall_entries
    WHERE owner_id = scope.owner_id AND number = ANY($2::integer[])
    LIMIT $3
) AS found
