-- Take the names of these sessions whose question is gone; the first question left in each.
-- A name is made of the first 2000 characters after the blanks before it; the rest is not sent.
UPDATE sessions AS session
SET name = NULL, name_turn = NULL
WHERE session.owner_id = $1
  AND session.session_id = ANY($2::uuid[])
  AND session.name_turn IS NOT NULL
  AND NOT EXISTS (
    SELECT FROM messages AS question
    WHERE question.owner_id = $1
      AND question.session_id = session.session_id
      AND question.turn_number = session.name_turn
      AND question.role = 'user'
  )
RETURNING session_id, (
    SELECT turn_number FROM messages
    WHERE owner_id = $1 AND session_id = session.session_id AND role = 'user' AND is_active
    ORDER BY sequence
    LIMIT 1
) AS turn_number, (
    SELECT left(content, 4000) FROM messages
    WHERE owner_id = $1 AND session_id = session.session_id AND role = 'user' AND is_active
    ORDER BY sequence
    LIMIT 1
) AS question
