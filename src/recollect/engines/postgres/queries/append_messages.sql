-- Store messages in a session: sequence numbers, turns, counters and work, all in one statement.
-- The update of the session's row makes writers of one session queue up, so that numbers are
-- neither shared nor skipped; time never runs backwards within a session.
-- The statement sets the owner itself. Nothing in WITH runs before the last part asks for the
-- session, which it does after it has set the owner.
WITH session AS (
    UPDATE sessions
    SET last_sequence = last_sequence + cardinality($3::uuid[]),
        message_count = message_count + cardinality($3::uuid[]),
        last_turn = last_turn + $9,
        turn_count = turn_count + $9,
        current_turn = CASE WHEN $9 > 0 THEN last_turn + $9 ELSE current_turn END,
        updated_at = greatest(updated_at, $15),
        last_accessed_at = greatest(last_accessed_at, $15),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, $16) END,
        name = coalesce(name, $14)
    WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $17)
    RETURNING
        message_count - summarized_count AS unsummarized,
        last_sequence - cardinality($3::uuid[]) AS sequence_before,
        last_turn - $9 AS turn_before,
        CASE WHEN $12 THEN current_turn ELSE $13 END AS answered_turn,
        CASE WHEN cardinality(databases) = 1 THEN databases[1] END AS only_database,
        updated_at
), turn AS (
    INSERT INTO turns (owner_id, session_id, turn_number, status, started_at, completed_at)
    SELECT
        $1,
        $2,
        CASE WHEN touched.turn_offset = 0 THEN answered_turn ELSE turn_before + touched.turn_offset END,
        CASE WHEN touched.is_answered THEN 'complete' ELSE 'pending' END,
        updated_at,
        CASE WHEN touched.is_answered THEN updated_at END
    FROM session
    CROSS JOIN (
        SELECT unnest($10::bigint[]) AS turn_offset, unnest($11::boolean[]) AS is_answered
    ) AS touched
    WHERE touched.turn_offset > 0 OR answered_turn IS NOT NULL
    ON CONFLICT (owner_id, session_id, turn_number) DO UPDATE
    SET status = excluded.status,
        completed_at = excluded.completed_at,
        index_due = excluded.index_due
), job AS (
    INSERT INTO jobs (owner_id, job_id, kind, payload, scheduled_at, created_at)
    SELECT $1, $19, 'compact', $20::text::json, $15, $15
    FROM session
    WHERE unsummarized > $18::bigint
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
        CASE WHEN said.turn_offset = 0 THEN answered_turn ELSE turn_before + said.turn_offset END,
        said.role,
        said.content,
        said.metadata,
        CASE
            WHEN said.lacks_database AND only_database IS NOT NULL
            THEN concat(left(said.details::text, -1), ',"database":', to_json(only_database), '}')::json
            ELSE said.details
        END,
        updated_at
    FROM session
    CROSS JOIN (
        SELECT
            generate_subscripts($3::uuid[], 1) AS position,
            unnest($3::uuid[]) AS message_id,
            unnest($4::text[]) AS role,
            unnest($5::text[]) AS content,
            unnest($6::json[]) AS metadata,
            unnest($7::json[]) AS details,
            unnest($8::bigint[]) AS turn_offset,
            unnest($21::boolean[]) AS lacks_database
    ) AS said
)
SELECT appended.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT sequence_before, turn_before, answered_turn, only_database, updated_at
    FROM session
    WHERE scope.owner_id = $1
    LIMIT 1
) AS appended
