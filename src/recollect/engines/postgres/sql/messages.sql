-- Messages: store, read and delete those of a session.

-- name: append_turns
-- Store turns in a session, from the first one's question on: sequence numbers, counters and work.
-- The update of the session's row makes writers of one session queue up, so that numbers are
-- neither shared nor skipped; its time never runs backwards. A message may bring its own time,
-- which is no time of the session or the turn: those say when it was stored.
-- The statement sets the owner itself. Nothing in WITH runs before the last part asks for the
-- session, which it does after it has set the owner.
WITH session AS (
    UPDATE sessions
    SET last_sequence = last_sequence + cardinality(:message_ids::uuid[]),
        message_count = message_count + cardinality(:message_ids::uuid[]),
        last_turn = last_turn + cardinality(:answered_turns::boolean[]),
        turn_count = turn_count + cardinality(:answered_turns::boolean[]),
        current_turn = last_turn + cardinality(:answered_turns::boolean[]),
        updated_at = greatest(updated_at, :now),
        last_accessed_at = greatest(last_accessed_at, :now),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, :expires_at) END,
        name = coalesce(name, :session_name),
        name_turn = CASE WHEN name IS NULL AND :session_name IS NOT NULL THEN last_turn + 1 ELSE name_turn END
    WHERE owner_id = :owner_id AND session_id = :session_id AND (expires_at IS NULL OR expires_at > :read_at)
    RETURNING
        message_count - summarized_count AS unsummarized,
        last_sequence - cardinality(:message_ids::uuid[]) AS sequence_before,
        last_turn - cardinality(:answered_turns::boolean[]) AS turn_before,
        CASE WHEN cardinality(databases) = 1 THEN databases[1] END AS only_database,
        updated_at
), turn AS (
    INSERT INTO turns (owner_id, session_id, turn_number, status, started_at, completed_at)
    SELECT
        :owner_id,
        :session_id,
        turn_before + opened.turn_offset,
        CASE WHEN opened.is_answered THEN 'complete' ELSE 'pending' END,
        updated_at,
        CASE WHEN opened.is_answered THEN updated_at END
    FROM session
    CROSS JOIN (
        SELECT
            generate_subscripts(:answered_turns::boolean[], 1) AS turn_offset,
            unnest(:answered_turns::boolean[]) AS is_answered
    ) AS opened
), job AS (
    INSERT INTO jobs (owner_id, job_id, kind, payload, scheduled_at, created_at)
    SELECT :owner_id, :job_id, 'compact', :job_payload::text::json, :now, :now
    FROM session
    WHERE unsummarized > :compaction_trigger::bigint
    ON CONFLICT (owner_id, job_id) DO NOTHING
), stored AS (
    INSERT INTO messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content,
        metadata, details, created_at
    )
    SELECT
        :owner_id,
        :session_id,
        sequence_before + given.position,
        given.message_id,
        turn_before + given.turn_offset,
        given.role,
        given.content,
        coalesce(given.metadata, '{}'),
        CASE
            WHEN given.lacks_database AND only_database IS NOT NULL
            THEN concat(left(given.details::text, -1), ',"database":', to_json(only_database), '}')::json
            ELSE given.details
        END,
        coalesce(given.created_at, updated_at)
    FROM session
    CROSS JOIN (
        SELECT
            generate_subscripts(:message_ids::uuid[], 1) AS position,
            unnest(:message_ids::uuid[]) AS message_id,
            unnest(:roles::text[]) AS role,
            unnest(:contents::text[]) AS content,
            unnest(:metadata::json[]) AS metadata,
            unnest(:details::json[]) AS details,
            unnest(:lack_database::boolean[]) AS lacks_database,
            unnest(:turn_offsets::bigint[]) AS turn_offset,
            unnest(:message_times::timestamptz[]) AS created_at
    ) AS given
)
SELECT appended.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT sequence_before, turn_before AS turn, only_database, updated_at
    FROM session
    WHERE scope.owner_id = :owner_id
    LIMIT 1
) AS appended

-- name: append_replies
-- Store replies in a session, which complete a turn that is there, and messages of no turn.
-- The same as `append_turns` but for the turn: inserting one or else updating it costs a tenth of
-- the time of storing a question with its answer. The turn is the latest, or that of a message,
-- looked up when the session is held; or the caller holds the session and says which. The session
-- is returned as it is then: a client that is told of it needs no statement more.
WITH session AS (
    UPDATE sessions
    SET last_sequence = last_sequence + cardinality(:message_ids::uuid[]),
        message_count = message_count + cardinality(:message_ids::uuid[]),
        updated_at = greatest(updated_at, :now),
        last_accessed_at = greatest(last_accessed_at, :now),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, :expires_at) END
    WHERE owner_id = :owner_id AND session_id = :session_id AND (expires_at IS NULL OR expires_at > :read_at)
    RETURNING
        message_count - summarized_count AS unsummarized,
        last_sequence - cardinality(:message_ids::uuid[]) AS sequence_before,
        CASE
            WHEN :reply_to::uuid IS NOT NULL THEN turn_answered(:owner_id, :session_id, :reply_to)
            WHEN :answers_latest THEN current_turn
            ELSE :turn_number
        END AS answered_turn,
        CASE WHEN cardinality(databases) = 1 THEN databases[1] END AS only_database,
        updated_at,
        session_id, name, name_turn, metadata, databases, tags, created_at, last_accessed_at,
        expires_at, message_count, turn_count
), turn AS (
    UPDATE turns
    SET status = 'complete',
        completed_at = (SELECT updated_at FROM session),
        index_due = DEFAULT
    WHERE turns.owner_id = :owner_id
      AND turns.session_id = :session_id
      AND turns.turn_number = (SELECT answered_turn FROM session)  -- joined, all turns would be read
      AND 0 = ANY(:turn_offsets::bigint[])
), job AS (
    INSERT INTO jobs (owner_id, job_id, kind, payload, scheduled_at, created_at)
    SELECT :owner_id, :job_id, 'compact', :job_payload::text::json, :now, :now
    FROM session
    WHERE unsummarized > :compaction_trigger::bigint
    ON CONFLICT (owner_id, job_id) DO NOTHING
), stored AS (
    INSERT INTO messages (
        owner_id, session_id, sequence, message_id, turn_number, role, content,
        metadata, details, created_at
    )
    SELECT
        :owner_id,
        :session_id,
        sequence_before + given.position,
        given.message_id,
        answered_turn + given.turn_offset,
        given.role,
        given.content,
        coalesce(given.metadata, '{}'),
        CASE
            WHEN given.lacks_database AND only_database IS NOT NULL
            THEN concat(left(given.details::text, -1), ',"database":', to_json(only_database), '}')::json
            ELSE given.details
        END,
        coalesce(given.created_at, updated_at)
    FROM session
    CROSS JOIN (
        SELECT
            generate_subscripts(:message_ids::uuid[], 1) AS position,
            unnest(:message_ids::uuid[]) AS message_id,
            unnest(:roles::text[]) AS role,
            unnest(:contents::text[]) AS content,
            unnest(:metadata::json[]) AS metadata,
            unnest(:details::json[]) AS details,
            unnest(:lack_database::boolean[]) AS lacks_database,
            unnest(:turn_offsets::bigint[]) AS turn_offset,
            unnest(:message_times::timestamptz[]) AS created_at
    ) AS given
)
SELECT appended.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        sequence_before, answered_turn AS turn, only_database, session.updated_at,
        session.session_id, name, name_turn, metadata, databases, tags, session.created_at,
        last_accessed_at, expires_at, message_count, turn_count,
        summary.text AS summary, summary.tables AS summary_tables
    FROM session
    LEFT JOIN summaries AS summary
        ON summary.owner_id = :owner_id AND summary.session_id = :session_id
    WHERE scope.owner_id = :owner_id
    LIMIT 1
) AS appended

-- name: read_window
-- A session with its summary in the first row, then its last answered messages, newest first.
-- One read: its columns in each row took as long as all else. The statement sets the owner itself.
-- What a context asks of the owner next is in the first row, too: the state of the entries, as
-- `entries_now` tells it, and whether there are facts. A statement of its own costs ten times that.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    WITH session AS MATERIALIZED (
        SELECT
            session.session_id, session.name, session.name_turn, session.metadata, session.databases, session.tags,
            session.created_at, session.updated_at, session.last_accessed_at, session.expires_at,
            session.message_count, session.turn_count, session.summarized_count
        FROM sessions AS session
        WHERE scope.owner_id = :owner_id
          AND session.owner_id = :owner_id
          AND session.session_id = :session_id
          AND (session.expires_at IS NULL OR session.expires_at > :now)
        LIMIT 1
    )
    SELECT
        session.session_id, session.name, session.name_turn, session.metadata AS session_metadata,
        session.databases, session.tags, session.created_at AS session_created_at, session.updated_at,
        session.last_accessed_at, session.expires_at, session.message_count, session.turn_count,
        summary.text AS summary, summary.first_sequence, summary.last_sequence AS summary_end,
        summary.tables, summary.method, summary.created_at AS summarized_at,
        coalesce(recall.last_number, 0) AS last_number, coalesce(recall.changes, 0) AS changes,
        CASE WHEN recall.last_number > 0 THEN (
            SELECT array_agg(other.session_id) FROM sessions AS other
            WHERE other.owner_id = :owner_id AND other.expires_at <= :now
        ) END AS expired,
        EXISTS (
            SELECT FROM facts AS fact WHERE fact.owner_id = :owner_id AND fact.status = 'active'
        ) AS has_facts,
        EXISTS (
            SELECT FROM recall_entries AS entry WHERE entry.owner_id = :owner_id AND entry.speaker IS NOT NULL
        ) AS has_speakers,
        (SELECT state.mode FROM states AS state WHERE state.owner_id = :owner_id) AS mode,
        NULL::bigint AS sequence, NULL::uuid AS message_id, NULL::bigint AS turn_number, NULL::text AS role,
        NULL::text AS content, NULL::json AS metadata, NULL::json AS details, NULL::timestamptz AS created_at
    FROM session
    LEFT JOIN summaries AS summary
        ON summary.owner_id = :owner_id AND summary.session_id = session.session_id
    LEFT JOIN recall_owners AS recall
        ON recall.owner_id = :owner_id
    UNION ALL
    SELECT
        session.session_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        message.sequence, message.message_id, message.turn_number, message.role,
        message.content, message.metadata, message.details, message.created_at
    FROM session
    CROSS JOIN LATERAL (
        -- The status is looked up for each message read; a join would read all of the session's turns.
        SELECT recent.* FROM messages AS recent
        WHERE recent.owner_id = :owner_id
          AND recent.session_id = :session_id
          AND recent.is_active
          AND (recent.turn_number IS NULL OR 'complete' = (
            SELECT turn.status FROM turns AS turn
            WHERE turn.owner_id = :owner_id
              AND turn.session_id = :session_id
              AND turn.turn_number = recent.turn_number
          ))
        ORDER BY recent.sequence DESC
        LIMIT least(:max_count, CASE
            WHEN :covers_all THEN greatest(:count, session.message_count - session.summarized_count)
            ELSE :count
        END)
    ) AS message
    OFFSET 0
) AS result

-- name: last_messages
-- The last messages of a session, newest first, for the owner whom the statement itself sets.
-- The LIMIT inside keeps the two parts apart: the owner is set before any row is looked for.
SELECT message.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT session_id, sequence, message_id, turn_number, role, content, metadata, details, created_at
    FROM messages
    WHERE scope.owner_id = :owner_id
      AND owner_id = :owner_id
      AND session_id = :session_id
      AND is_active
      AND EXISTS (
        SELECT FROM sessions AS session
        WHERE session.owner_id = :owner_id
          AND session.session_id = :session_id
          AND (session.expires_at IS NULL OR session.expires_at > :now)
      )
    ORDER BY sequence DESC
    LIMIT :count
) AS message

-- name: list_messages
-- A page of a session's messages from a number on, in either order. The function sets the owner.
SELECT message.*
FROM list_messages(
    :owner_id, :session_id, :newest_first, :after_sequence, :include_inactive, :limit, :offset, :now
) AS message
ORDER BY CASE WHEN :newest_first THEN -message.sequence ELSE message.sequence END

-- name: messages_by_id
-- The owner's messages with these ids, in whichever session.
SELECT * FROM messages
WHERE owner_id = :owner_id AND message_id = ANY(:message_ids::uuid[])

-- name: messages_after
-- The oldest active messages of a session after a sequence number.
SELECT * FROM messages
WHERE owner_id = :owner_id AND session_id = :session_id AND sequence > :after_sequence AND is_active
ORDER BY sequence
LIMIT :limit

-- name: last_sequence
-- The number of a session's last active message that is still there; 0 without any.
SELECT coalesce(max(sequence), 0) FROM messages WHERE owner_id = :owner_id AND session_id = :session_id AND is_active

-- name: delete_message
-- Delete one message of these sessions; in which it was, and where.
DELETE FROM messages
WHERE owner_id = :owner_id AND session_id = ANY(:session_ids::uuid[]) AND message_id = :message_id
RETURNING session_id, sequence AS first_gone, 1 AS count

-- name: delete_messages
-- Delete all messages of these sessions; how many in each, and from where on.
WITH gone AS (
    DELETE FROM messages
    WHERE owner_id = :owner_id AND session_id = ANY(:session_ids::uuid[])
    RETURNING session_id, sequence
)
SELECT session_id, min(sequence) AS first_gone, count(*) AS count FROM gone GROUP BY session_id

-- name: trim_messages
-- Delete all messages of these sessions but the newest ones; how many in each, and from where on.
WITH edge AS (
    SELECT created_at, session_id, sequence FROM messages
    WHERE owner_id = :owner_id AND session_id = ANY(:session_ids::uuid[])
    ORDER BY created_at DESC, session_id DESC, sequence DESC
    OFFSET :keep_last LIMIT 1
), gone AS (
    DELETE FROM messages AS message
    USING edge
    WHERE message.owner_id = :owner_id
      AND message.session_id = ANY(:session_ids::uuid[])
      AND (message.created_at, message.session_id, message.sequence)
        <= (edge.created_at, edge.session_id, edge.sequence)
    RETURNING message.session_id, message.sequence
)
SELECT session_id, min(sequence) AS first_gone, count(*) AS count FROM gone GROUP BY session_id
