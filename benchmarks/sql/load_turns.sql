-- The turns of every loaded session, all answered.
INSERT INTO recollect.turns (owner_id, session_id, turn_number, status, started_at, completed_at)
SELECT owner_id, session_id, number, 'complete', created_at, created_at
FROM recollect.sessions
CROSS JOIN generate_series(1, turn_count) AS number
