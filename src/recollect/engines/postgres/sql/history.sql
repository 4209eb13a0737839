-- History: an owner's messages across sessions.

-- name: list_history_newest_first
-- The owner's messages across sessions, the last one first, from a position on.
SELECT message.* FROM messages AS message
WHERE message.owner_id = :owner_id
  AND message.is_active
  AND (message.created_at, message.session_id, message.sequence) < (
    coalesce(:after_time, 'infinity'::timestamptz),
    coalesce(:after_session, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid),
    coalesce(:after_sequence, 9223372036854775807)
  )
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = message.session_id
      AND session.expires_at <= :now
  )
ORDER BY message.created_at DESC, message.session_id DESC, message.sequence DESC
LIMIT :limit OFFSET :offset

-- name: list_history_oldest_first
-- The owner's messages across sessions, the first one first, from a position on.
SELECT message.* FROM messages AS message
WHERE message.owner_id = :owner_id
  AND message.is_active
  AND (message.created_at, message.session_id, message.sequence) > (
    coalesce(:after_time, '-infinity'::timestamptz),
    coalesce(:after_session, '00000000-0000-0000-0000-000000000000'::uuid),
    coalesce(:after_sequence, 0)
  )
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = message.session_id
      AND session.expires_at <= :now
  )
ORDER BY message.created_at, message.session_id, message.sequence
LIMIT :limit OFFSET :offset

-- name: count_history
-- How many messages the owner has, from the sessions' own counters.
SELECT coalesce(sum(message_count), 0)::bigint FROM sessions
WHERE owner_id = :owner_id AND (expires_at IS NULL OR expires_at > :now)

-- name: messages_of_turns
-- All messages of these turns of the owner, given by session and number.
SELECT message.* FROM messages AS message
JOIN unnest(:session_ids::uuid[], :turn_numbers::bigint[]) AS turn (session_id, turn_number) USING (session_id, turn_number)
WHERE message.owner_id = :owner_id
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = message.session_id
      AND session.expires_at <= :now
  )
