-- Delete the sessions of all owners that expired first, and tell it in each owner's audit log.
WITH chosen AS (
    SELECT owner_id, session_id FROM sessions
    WHERE expires_at <= $1
    ORDER BY expires_at
    LIMIT $2
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM sessions AS session
    USING chosen
    WHERE session.owner_id = chosen.owner_id AND session.session_id = chosen.session_id
    RETURNING
        session.owner_id, session.session_id,
        session.message_count + session.inactive_count AS message_count
), told AS (
    INSERT INTO audit (owner_id, action, target, count, actor, transaction_id, at)
    SELECT owner_id, 'session.expired', session_id::text, message_count, 'retention', '', $1
    FROM gone
)
SELECT count(*) FROM gone
