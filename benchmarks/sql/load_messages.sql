-- Questions and answers in every loaded session, about 300 bytes a message.
-- Sorted by number, so that on disk the messages of one session lie apart, as they do when many
-- users talk at the same time; a session in one piece would flatter every read.
INSERT INTO recollect.messages (
    owner_id, session_id, sequence, message_id, turn_number, role, content,
    metadata, details, created_at
)
SELECT
    owner_id,
    session_id,
    number,
    gen_random_uuid(),
    (number + 1) / 2,
    CASE WHEN number % 2 = 1 THEN 'user' ELSE 'assistant' END,
    CASE WHEN number % 2 = 1 THEN $1 ELSE $2 END || number,
    '{}',
    CASE WHEN number % 2 = 0 THEN $3::text::json END,
    created_at + number * interval '1 second'
FROM recollect.sessions
CROSS JOIN generate_series(1, message_count) AS number
ORDER BY number
