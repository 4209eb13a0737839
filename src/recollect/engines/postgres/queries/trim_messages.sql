-- Delete all the owner's messages but the newest ones; how many in each session.
WITH edge AS (
    SELECT created_at, session_id, sequence FROM messages
    WHERE owner_id = $1
    ORDER BY created_at DESC, session_id DESC, sequence DESC
    OFFSET $2 LIMIT 1
), gone AS (
    DELETE FROM messages AS message
    USING edge
    WHERE message.owner_id = $1
      AND (message.created_at, message.session_id, message.sequence)
        <= (edge.created_at, edge.session_id, edge.sequence)
    RETURNING message.session_id
)
SELECT session_id, count(*) AS count FROM gone GROUP BY session_id
