-- History: an owner's messages across sessions.

-- name: list_history
-- A page of the owner's messages across sessions from a position on, in either order.
-- Each order is a branch of its own, so that both go through the index; the other one is not run.
-- COALESCE stands in a subquery: beside a column it counts as leaky, and row-level security would
-- compare every message with it instead of looking the position up.
SELECT page.* FROM (
    (
        SELECT message.* FROM messages AS message
        WHERE message.owner_id = :owner_id
          AND :newest_first::boolean
          AND message.is_active
          AND (message.created_at, message.session_id, message.sequence) < (
            (SELECT coalesce(:after_time, 'infinity'::timestamptz)),
            (SELECT coalesce(:after_session, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)),
            (SELECT coalesce(:after_sequence, 9223372036854775807))
          )
          AND NOT EXISTS (
            SELECT FROM sessions AS session
            WHERE session.owner_id = :owner_id
              AND session.session_id = message.session_id
              AND session.expires_at <= :now
          )
        ORDER BY message.created_at DESC, message.session_id DESC, message.sequence DESC
        LIMIT :limit OFFSET :offset
    )
    UNION ALL
    (
        SELECT message.* FROM messages AS message
        WHERE message.owner_id = :owner_id
          AND NOT :newest_first
          AND message.is_active
          AND (message.created_at, message.session_id, message.sequence) > (
            (SELECT coalesce(:after_time, '-infinity'::timestamptz)),
            (SELECT coalesce(:after_session, '00000000-0000-0000-0000-000000000000'::uuid)),
            (SELECT coalesce(:after_sequence, 0))
          )
          AND NOT EXISTS (
            SELECT FROM sessions AS session
            WHERE session.owner_id = :owner_id
              AND session.session_id = message.session_id
              AND session.expires_at <= :now
          )
        ORDER BY message.created_at, message.session_id, message.sequence
        LIMIT :limit OFFSET :offset
    )
) AS page
ORDER BY
    CASE WHEN :newest_first THEN page.created_at END DESC,
    CASE WHEN :newest_first THEN page.session_id END DESC,
    CASE WHEN :newest_first THEN page.sequence END DESC,
    page.created_at, page.session_id, page.sequence

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
