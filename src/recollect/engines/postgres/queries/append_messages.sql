-- Store messages in a session: sequence numbers, turns, counters and work, all in one statement.
-- The update of the session's row makes writers of one session queue up, so that numbers are
-- neither shared nor skipped; time never runs backwards within a session.
WITH session AS (
    UPDATE sessions
    SET last_sequence = last_sequence + cardinality($3::uuid[]),
        message_count = message_count + cardinality($3::uuid[]),
        last_turn = last_turn + $9,
        turn_count = turn_count + $9,
        current_turn = CASE WHEN $9 > 0 THEN last_turn + $9 ELSE current_turn END,
        updated_at = greatest(updated_at, $13),
        last_accessed_at = greatest(last_accessed_at, $13),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, $14) END,
        name = coalesce(name, $12)
    WHERE owner_id = $1 AND session_id = $2 AND (expires_at IS NULL OR expires_at > $15)
    RETURNING
        message_count - summarized_count AS unsummarized,
        last_sequence - cardinality($3::uuid[]) AS sequence_before,
        last_turn - $9 AS turn_before,
        current_turn,
        updated_at
), placed AS (
    SELECT
        session.sequence_before + message.position AS sequence,
        message.message_id,
        CASE
            WHEN message.turn_offset > 0 THEN session.turn_before + message.turn_offset
            WHEN message.turn_offset = 0 THEN CASE WHEN $10 THEN session.current_turn ELSE $11 END
        END AS turn_number,
        message.role,
        message.content,
        message.metadata,
        message.details,
        session.updated_at AS created_at
    FROM session
    CROSS JOIN unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
        WITH ORDINALITY
        AS message (message_id, role, content, metadata, details, turn_offset, position)
), turn AS (
    INSERT INTO turns (owner_id, session_id, turn_number, status, started_at, completed_at)
    SELECT
        $1,
        $2,
        turn_number,
        CASE WHEN bool_or(role = 'assistant') THEN 'complete' ELSE 'pending' END,
        min(created_at),
        max(created_at) FILTER (WHERE role = 'assistant')
    FROM placed
    WHERE turn_number IS NOT NULL
    GROUP BY turn_number
    ON CONFLICT (owner_id, session_id, turn_number) DO UPDATE
    SET status = excluded.status, completed_at = excluded.completed_at
), job AS (
    INSERT INTO jobs (owner_id, job_id, kind, payload, scheduled_at, created_at)
    SELECT $1, $17, 'compact', $18::text::json, $13, $13
    FROM session
    WHERE unsummarized > $16::bigint
    ON CONFLICT (owner_id, job_id) DO NOTHING
), stored AS (
    INSERT INTO messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content,
        metadata, details, created_at
    )
    SELECT
        $1, $2, sequence, message_id, turn_number, role, content,
        metadata::json, details::json, created_at
    FROM placed
)
SELECT sequence, turn_number, created_at FROM placed ORDER BY sequence
