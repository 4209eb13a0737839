-- Delete all messages of these sessions but the newest ones; how many in each, and from where on.
WITH edge AS (
    SELECT created_at, session_id, sequence FROM messages
    WHERE owner_id = $1 AND session_id = ANY($2::uuid[])
    ORDER BY created_at DESC, session_id DESC, sequence DESC
    OFFSET $3 LIMIT 1
), gone AS (
    DELETE FROM messages AS message
    USING edge
    WHERE message.owner_id = $1
      AND message.session_id = ANY($2::uuid[])
      AND (message.created_at, message.session_id, message.sequence)
        <= (edge.created_at, edge.session_id, edge.sequence)
    RETURNING message.session_id, message.sequence
)
SELECT session_id, min(sequence) AS first_gone, count(*) AS count FROM gone GROUP BY session_id
