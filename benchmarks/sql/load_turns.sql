-- The turns of every loaded session, all answered and none waiting to be indexed for recall.
INSERT INTO recollect.turns (
    owner_id, session_id, turn_number, status, started_at, completed_at, index_due
)
SELECT owner_id, session_id, number, 'complete', created_at, created_at, NULL
FROM recollect.sessions
CROSS JOIN generate_series(1, turn_count) AS number
