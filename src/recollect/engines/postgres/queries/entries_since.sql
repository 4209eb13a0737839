-- How an owner's entries stand, and those whom a process that keeps them at hand does not have:
-- the ones after the last number it knows, or all if others have changed since. An owner with
-- $5 or more has none here. The statement sets the owner itself.
SELECT found.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH size AS MATERIALIZED (
        SELECT entries, last_number, changes FROM recall_owners WHERE owner_id = scope.owner_id
    )
    SELECT
        size.entries, size.last_number, size.changes,
        (
            SELECT array_agg(session_id) FROM sessions
            WHERE owner_id = scope.owner_id AND expires_at <= $4
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
      AND entry.number > (SELECT CASE WHEN changes = $2 THEN $3::integer ELSE 0 END FROM size)
      AND (SELECT entries < $5 FROM size)
    LIMIT $6
) AS found
