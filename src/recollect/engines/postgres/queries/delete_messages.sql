-- Delete all messages of these sessions; how many in each, and from where on.
WITH gone AS (
    DELETE FROM messages
    WHERE owner_id = $1 AND session_id = ANY($2::uuid[])
    RETURNING session_id, sequence
)
SELECT session_id, min(sequence) AS first_gone, count(*) AS count FROM gone GROUP BY session_id
