-- Store turns in a session, from the first one's question on: sequence numbers, counters and work.
-- The update of the session's row makes writers of one session queue up, so that numbers are
-- neither shared nor skipped; its time never runs backwards. A message may bring its own time,
-- which is no time of the session or the turn: those say when it was stored.
-- The statement sets the owner itself. Nothing in WITH runs before the last part asks for the
-- session, which it does after it has set the owner.
WITH session AS (
    UPDATE sessions
    SET last_sequence = last_sequence + cardinality($3::uuid[]),
        message_count = message_count + cardinality($3::uuid[]),
        last_turn = last_turn + cardinality($16::boolean[]),
        turn_count = turn_count + cardinality($16::boolean[]),
        current_turn = last_turn + cardinality($16::boolean[]),
        updated_at = greatest(updated_at, $10),
        last_accessed_at = greatest(last_accessed_at, $10),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, $11) END,
        name = coalesce(name, $17),
        name_turn = CASE WHEN name IS NULL AND $17 IS NOT NULL THEN last_turn + 1 ELSE name_turn END
    WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $12)
    RETURNING
        message_count - summarized_count AS unsummarized,
        last_sequence - cardinality($3::uuid[]) AS sequence_before,
        last_turn - cardinality($16::boolean[]) AS turn_before,
        CASE WHEN cardinality(databases) = 1 THEN databases[1] END AS only_database,
        updated_at
), turn AS (
    INSERT INTO turns (owner_id, session_id, turn_number, status, started_at, completed_at)
    SELECT
        $1,
        $2,
        turn_before + opened.turn_offset,
        CASE WHEN opened.is_answered THEN 'complete' ELSE 'pending' END,
        updated_at,
        CASE WHEN opened.is_answered THEN updated_at END
    FROM session
    CROSS JOIN (
        SELECT
            generate_subscripts($16::boolean[], 1) AS turn_offset,
            unnest($16::boolean[]) AS is_answered
    ) AS opened
), job AS (
    INSERT INTO jobs (owner_id, job_id, kind, payload, scheduled_at, created_at)
    SELECT $1, $14, 'compact', $15::text::json, $10, $10
    FROM session
    WHERE unsummarized > $13::bigint
    ON CONFLICT (owner_id, job_id) DO NOTHING
), stored AS (
    INSERT INTO messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content,
        metadata, details, created_at
    )
    SELECT
        $1,
        $2,
        sequence_before + said.position,
        said.message_id,
        turn_before + said.turn_offset,
        said.role,
        said.content,
        coalesce(said.metadata, '{}'),
        CASE
            WHEN said.lacks_database AND only_database IS NOT NULL
            THEN concat(left(said.details::text, -1), ',"database":', to_json(only_database), '}')::json
            ELSE said.details
        END,
        coalesce(said.created_at, updated_at)
    FROM session
    CROSS JOIN (
        SELECT
            generate_subscripts($3::uuid[], 1) AS position,
            unnest($3::uuid[]) AS message_id,
            unnest($4::text[]) AS role,
            unnest($5::text[]) AS content,
            unnest($6::json[]) AS metadata,
            unnest($7::json[]) AS details,
            unnest($8::boolean[]) AS lacks_database,
            unnest($9::bigint[]) AS turn_offset,
            unnest($18::timestamptz[]) AS created_at
    ) AS said
)
SELECT appended.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT sequence_before, turn_before, only_database, updated_at
    FROM session
    WHERE scope.owner_id = $1
    LIMIT 1
) AS appended
