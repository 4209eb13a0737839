-- Activity: how much an owner has, by day; nothing of it is read.

-- name: activity_by_day
-- What happened on each day since a time. Of the audit log the latest entries are looked at: they
-- are found by number, and there may be millions of older ones.
SELECT
    happened.day,
    sum(happened.sessions)::bigint AS sessions,
    sum(happened.messages)::bigint AS messages,
    sum(happened.contexts)::bigint AS contexts,
    sum(happened.contexts_with_memory)::bigint AS contexts_with_memory,
    sum(happened.expired)::bigint AS expired
FROM (
    SELECT (session.created_at AT TIME ZONE 'UTC')::date AS day,
        count(*) AS sessions, 0 AS messages, 0 AS contexts, 0 AS contexts_with_memory,
        0 AS expired
    FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.created_at >= :since
      AND (session.expires_at IS NULL OR session.expires_at > :now)
    GROUP BY 1
    UNION ALL
    SELECT (message.created_at AT TIME ZONE 'UTC')::date, 0, count(*), 0, 0, 0
    FROM messages AS message
    WHERE message.owner_id = :owner_id
      AND message.created_at >= :since
      AND NOT EXISTS (
        SELECT FROM sessions AS session
        WHERE session.owner_id = :owner_id
          AND session.session_id = message.session_id
          AND session.expires_at <= :now
      )
    GROUP BY 1
    UNION ALL
    SELECT (latest.at AT TIME ZONE 'UTC')::date, 0, 0,
        count(*) FILTER (WHERE latest.action = 'context.read'),
        count(*) FILTER (WHERE latest.action = 'context.read' AND latest.count > 0),
        count(*) FILTER (WHERE latest.action = 'session.expired')
    FROM (
        SELECT entry.at, entry.action, entry.count FROM audit AS entry
        WHERE entry.owner_id = :owner_id
        ORDER BY entry.number DESC
        LIMIT :entries
    ) AS latest
    WHERE latest.action IN ('context.read', 'session.expired') AND latest.at >= :since
    GROUP BY 1
) AS happened
GROUP BY happened.day
ORDER BY happened.day

-- name: count_expiring
-- The sessions of the owner that expire until a time.
SELECT count(*) FROM sessions
WHERE owner_id = :owner_id AND expires_at > :now AND expires_at <= :until

-- name: owner_totals
-- How many sessions and messages the owner has, and when one of them was used last.
SELECT
    count(*) AS sessions,
    coalesce(sum(message_count), 0)::bigint AS messages,
    max(last_accessed_at) AS last_active_at
FROM sessions
WHERE owner_id = :owner_id AND (expires_at IS NULL OR expires_at > :now)
