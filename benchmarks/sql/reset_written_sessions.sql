-- Set the counters of sessions that a measurement wrote to back to what was loaded.
UPDATE recollect.sessions
SET last_sequence = stored.count,
    message_count = stored.count,
    last_turn = stored.count / 2,
    turn_count = stored.count / 2,
    current_turn = stored.count / 2,
    updated_at = sessions.created_at,
    last_accessed_at = sessions.created_at
FROM (
    SELECT owner_id, session_id, count(*) AS count
    FROM recollect.messages
    WHERE (owner_id, session_id) IN (
        SELECT owner_id, session_id FROM recollect.sessions WHERE updated_at > $1
    )
    GROUP BY owner_id, session_id
) AS stored
WHERE sessions.updated_at > $1
    AND sessions.owner_id = stored.owner_id
    AND sessions.session_id = stored.session_id
