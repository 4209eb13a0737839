-- Store replies in a session, which complete a turn that is there, and messages of no turn.
-- The same as `append_turns` but for the turn: inserting one or else updating it costs a tenth of
-- the time of storing a question with its answer. The turn is the latest, or that of a message,
-- looked up when the session is held; or the caller holds the session and says which.
WITH session AS (
    UPDATE sessions
    SET last_sequence = last_sequence + cardinality($3::uuid[]),
        message_count = message_count + cardinality($3::uuid[]),
        updated_at = greatest(updated_at, $10),
        last_accessed_at = greatest(last_accessed_at, $10),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, $11) END
    WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $12)
    RETURNING
        message_count - summarized_count AS unsummarized,
        last_sequence - cardinality($3::uuid[]) AS sequence_before,
        CASE
            WHEN $18::uuid IS NOT NULL THEN turn_answered($1, $2, $18)
            WHEN $16 THEN current_turn
            ELSE $17
        END AS answered_turn,
        CASE WHEN cardinality(databases) = 1 THEN databases[1] END AS only_database,
        updated_at
), turn AS (
    UPDATE turns
    SET status = 'complete',
        completed_at = session.updated_at,
        index_due = DEFAULT
    FROM session
    WHERE turns.owner_id = $1
      AND turns.session_id = $2
      AND turns.turn_number = session.answered_turn
      AND 0 = ANY($9::bigint[])
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
        answered_turn + said.turn_offset,
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
            unnest($19::timestamptz[]) AS created_at
    ) AS said
)
SELECT appended.*
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT sequence_before, answered_turn, only_database, updated_at
    FROM session
    WHERE scope.owner_id = $1
    LIMIT 1
) AS appended
