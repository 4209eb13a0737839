-- By hand: a question and its answer, with their turn and the session's counters.
WITH session AS (
    UPDATE recollect.sessions
    SET last_sequence = last_sequence + 2,
        message_count = message_count + 2,
        last_turn = last_turn + 1,
        turn_count = turn_count + 1,
        current_turn = last_turn + 1,
        updated_at = $3,
        last_accessed_at = $3
    WHERE owner_id = $1 AND session_id = $2
    RETURNING last_sequence, last_turn
), turn AS (
    INSERT INTO recollect.turns (
        owner_id, session_id, turn_number, status, started_at, completed_at
    )
    SELECT $1, $2, last_turn, 'complete', $3, $3 FROM session
), stored AS (
    INSERT INTO recollect.messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content,
        metadata, details, created_at
    )
    SELECT $1, $2, last_sequence - 1, $4::uuid, last_turn, 'user', $5::text, '{}'::json, NULL, $3
    FROM session
    UNION ALL
    SELECT $1, $2, last_sequence, $6::uuid, last_turn, 'assistant', $7::text, '{}', $8::json, $3
    FROM session
)
SELECT last_sequence, last_turn FROM session
