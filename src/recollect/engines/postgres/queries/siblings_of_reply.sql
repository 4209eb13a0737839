-- The number of a question, and the active replies that a new one takes the place of.
SELECT
    question.sequence,
    array(
        SELECT reply.message_id FROM messages AS reply
        WHERE reply.owner_id = $1
          AND reply.session_id = $2
          AND reply.turn_number = question.turn_number
          AND reply.role = 'assistant'
          AND reply.is_active
    ) AS replies
FROM messages AS question
WHERE question.owner_id = $1
  AND question.session_id = $2
  AND question.message_id = $3
  AND question.role = 'user'
