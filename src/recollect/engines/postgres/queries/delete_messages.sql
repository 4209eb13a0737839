-- Delete all the owner's messages, or those of one session; how many in each.
WITH gone AS (
    DELETE FROM messages
    WHERE owner_id = $1 AND ($2::uuid IS NULL OR session_id = $2)
    RETURNING session_id
)
SELECT session_id, count(*) AS count FROM gone GROUP BY session_id
