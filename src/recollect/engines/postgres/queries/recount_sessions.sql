-- Bring the counters of these sessions in line with the messages and turns that are left.
UPDATE sessions AS session
SET message_count = (
        SELECT count(*) FROM messages
        WHERE owner_id = $1 AND session_id = session.session_id
    ),
    turn_count = (
        SELECT count(*) FROM turns
        WHERE owner_id = $1 AND session_id = session.session_id
    ),
    current_turn = (
        SELECT max(turn_number) FROM turns
        WHERE owner_id = $1 AND session_id = session.session_id
    )
WHERE session.owner_id = $1 AND session.session_id = ANY($2::uuid[])
