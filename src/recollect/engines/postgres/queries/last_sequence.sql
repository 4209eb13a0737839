-- The number of a session's last active message that is still there; 0 without any.
SELECT coalesce(max(sequence), 0) FROM messages WHERE owner_id = $1 AND session_id = $2 AND is_active
