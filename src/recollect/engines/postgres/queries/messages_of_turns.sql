-- All messages of these turns of the owner, given by session and number.
SELECT message.* FROM messages AS message
JOIN unnest($2::uuid[], $3::bigint[]) AS turn (session_id, turn_number) USING (session_id, turn_number)
WHERE message.owner_id = $1
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = message.session_id
      AND session.expires_at <= $4
  )
