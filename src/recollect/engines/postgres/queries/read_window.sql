-- A session, its summary and its last answered messages, newest first, in one read.
-- Every row has the session, the first one also the summary; the owner is set by the statement.
SELECT
    session.*,
    CASE WHEN row_number() OVER () = 1 THEN session.summary_text END AS summary,
    message.sequence, message.message_id, message.turn_number, message.role, message.content,
    message.metadata, message.details, message.created_at
FROM (SELECT set_config('recollect.owner_id', $1::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        found.owner_id, found.session_id, found.name, found.name_turn, found.metadata AS session_metadata,
        found.databases, found.tags, found.created_at AS session_created_at, found.updated_at,
        found.last_accessed_at, found.expires_at, found.message_count, found.turn_count,
        found.summarized_count,
        summary.text AS summary_text, summary.first_sequence, summary.last_sequence AS summary_end,
        summary.tables, summary.method, summary.created_at AS summarized_at
    FROM sessions AS found
    LEFT JOIN summaries AS summary
        ON summary.owner_id = found.owner_id AND summary.session_id = found.session_id
    WHERE found.owner_id = scope.owner_id
      AND found.session_id = $2
      AND (found.expires_at IS NULL OR found.expires_at > $6)
    LIMIT 1
) AS session
LEFT JOIN LATERAL (
    -- The status is looked up for each message read; a join would read all of the session's turns.
    SELECT said.* FROM messages AS said
    WHERE said.owner_id = scope.owner_id
      AND said.session_id = $2
      AND said.is_active
      AND (said.turn_number IS NULL OR 'complete' = (
        SELECT turn.status FROM turns AS turn
        WHERE turn.owner_id = scope.owner_id
          AND turn.session_id = $2
          AND turn.turn_number = said.turn_number
      ))
    ORDER BY said.sequence DESC
    LIMIT least($5, CASE
        WHEN $4 THEN greatest($3, session.message_count - session.summarized_count)
        ELSE $3
    END)
) AS message ON true
