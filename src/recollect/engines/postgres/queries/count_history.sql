-- How many messages the owner has, from the sessions' own counters.
SELECT coalesce(sum(message_count), 0)::bigint FROM sessions
WHERE owner_id = $1 AND (expires_at IS NULL OR expires_at > $2)
