-- Bring the counters of these sessions in line with the messages, turns and summaries left.
UPDATE sessions AS session
SET message_count = (
        SELECT count(*) FROM messages
        WHERE owner_id = $1 AND session_id = session.session_id AND is_active
    ),
    inactive_count = (
        SELECT count(*) FROM messages
        WHERE owner_id = $1 AND session_id = session.session_id AND NOT is_active
    ),
    turn_count = (
        SELECT count(DISTINCT turn_number) FROM messages
        WHERE owner_id = $1 AND session_id = session.session_id AND is_active
    ),
    current_turn = (
        SELECT max(turn_number) FROM messages
        WHERE owner_id = $1 AND session_id = session.session_id AND is_active
    ),
    summarized_through = coalesce((
        SELECT last_sequence FROM summaries
        WHERE owner_id = $1 AND session_id = session.session_id
    ), 0),
    summarized_count = CASE WHEN EXISTS (
        SELECT FROM summaries
        WHERE owner_id = $1 AND session_id = session.session_id
    ) THEN summarized_count ELSE 0 END
WHERE session.owner_id = $1 AND session.session_id = ANY($2::uuid[])
