-- Sessions: create, read, list, change, lock, count, name and expire them.

-- name: start_session
-- Create a session, and its owner's row with the first one; nothing if the id is taken.
-- The statement sets the owner itself, as `append_turns` does. The session is inserted before its
-- owner: the foreign key is checked when the statement ends.
WITH session AS (
    INSERT INTO sessions (
        owner_id, session_id, name, metadata, databases, tags,
        created_at, updated_at, last_accessed_at, expires_at
    )
    VALUES (:owner_id, :session_id, :name, :metadata::text::json, :databases, :tags, :now, :now, :now, :expires_at)
    ON CONFLICT (owner_id, session_id) DO NOTHING
    RETURNING *
), owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    SELECT :owner_id, :tenant_id, :user_id, :now FROM session
    ON CONFLICT DO NOTHING
)
SELECT started.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT session.*, NULL::text AS summary, NULL::text[] AS summary_tables
    FROM session
    WHERE scope.owner_id = :owner_id
    LIMIT 1
) AS started

-- name: get_session
-- One session of the owner, whom the statement itself sets.
SELECT session.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT session.*, summary.text AS summary, summary.tables AS summary_tables
    FROM sessions AS session
    LEFT JOIN summaries AS summary
        ON summary.owner_id = :owner_id AND summary.session_id = session.session_id
    WHERE scope.owner_id = :owner_id
      AND session.owner_id = :owner_id
      AND session.session_id = :session_id
      AND (session.expires_at IS NULL OR session.expires_at > :now)
    LIMIT 1
) AS session

-- name: list_sessions
-- A page of the owner's sessions by their last change or use, from a position on, in either order.
-- No index: one on a time that every read moves would cost each of them more than sorting does.
-- Summaries are looked up for the page alone: for all of 10,000 sessions they took half the time.
SELECT page.*, summary.text AS summary, summary.tables AS summary_tables
FROM (
    SELECT session.*, used.at AS used_at
    FROM sessions AS session
    CROSS JOIN LATERAL (
        SELECT CASE WHEN :by_access::boolean THEN session.last_accessed_at ELSE session.updated_at END
    ) AS used (at)
    WHERE session.owner_id = :owner_id
      AND (:after_time::timestamptz IS NULL OR CASE
        WHEN :newest_first::boolean
        THEN (used.at, session.session_id) < (:after_time, :after_session::uuid)
        ELSE (used.at, session.session_id) > (:after_time, :after_session)
      END)
      AND (session.expires_at IS NULL OR session.expires_at > :now)
    ORDER BY
        CASE WHEN :newest_first THEN used.at END DESC, CASE WHEN :newest_first THEN session_id END DESC,
        used.at, session.session_id
    LIMIT :limit OFFSET :offset
) AS page
LEFT JOIN summaries AS summary
    ON summary.owner_id = :owner_id AND summary.session_id = page.session_id
WHERE page.owner_id = :owner_id
ORDER BY
    CASE WHEN :newest_first THEN page.used_at END DESC,
    CASE WHEN :newest_first THEN page.session_id END DESC,
    page.used_at, page.session_id

-- name: change_session
-- Replace the given parts of a session; a NULL leaves its part as it is.
UPDATE sessions AS session
SET name = coalesce(:name, name),
    name_turn = CASE WHEN :name IS NULL THEN name_turn END,
    metadata = coalesce(:metadata::text::json, metadata),
    databases = coalesce(:databases, databases),
    tags = coalesce(:tags, tags),
    updated_at = greatest(updated_at, :now),
    last_accessed_at = greatest(last_accessed_at, :now)
WHERE owner_id = :owner_id AND session_id = :session_id AND (expires_at IS NULL OR expires_at > :read_at)
RETURNING *, (
    SELECT text FROM summaries WHERE owner_id = :owner_id AND session_id = session.session_id
) AS summary, (
    SELECT tables FROM summaries WHERE owner_id = :owner_id AND session_id = session.session_id
) AS summary_tables

-- name: touch_session
-- Note that a session was used; its end, if it has one, may move but never comes nearer.
-- The statement sets the owner itself, before it changes anything. It waits for no disk: what a
-- crash forgets, the next use notes.
WITH used AS (
    UPDATE sessions
    SET last_accessed_at = greatest(last_accessed_at, :now),
        expires_at = CASE WHEN expires_at IS NOT NULL THEN greatest(expires_at, :expires_at) END
    WHERE owner_id = :owner_id AND session_id = :session_id AND (expires_at IS NULL OR expires_at > :read_at)
    RETURNING session_id
)
SELECT touched.*
FROM (
    SELECT
        set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT session_id FROM used
    WHERE scope.owner_id = :owner_id
    LIMIT 1
) AS touched

-- name: delete_session
-- Delete a session; its turns, messages and summary go with it.
DELETE FROM sessions
WHERE owner_id = :owner_id AND session_id = :session_id AND (expires_at IS NULL OR expires_at > :now)
RETURNING message_count + inactive_count

-- name: delete_if_expired
-- Make room for a new session of an id whose last one has expired.
DELETE FROM sessions
WHERE owner_id = :owner_id AND session_id = :session_id AND expires_at <= :now AND expires_at > '-infinity'
RETURNING message_count + inactive_count

-- name: lock_sessions
-- Hold the owner's sessions, or one of them, against writers, always in the same order.
SELECT session_id FROM sessions
WHERE owner_id = :owner_id
  AND (:session_id::uuid IS NULL OR session_id = :session_id)
  AND (expires_at IS NULL OR expires_at > :now)
ORDER BY session_id
FOR NO KEY UPDATE

-- name: lock_some_sessions
-- Hold some sessions of the owner against writers, always in the same order.
SELECT session_id FROM sessions
WHERE owner_id = :owner_id AND session_id = ANY(:session_ids::uuid[]) AND (expires_at IS NULL OR expires_at > :now)
ORDER BY session_id
FOR NO KEY UPDATE

-- name: recount_sessions
-- Bring the counters of these sessions in line with the messages, turns and summaries left.
UPDATE sessions AS session
SET message_count = (
        SELECT count(*) FROM messages
        WHERE owner_id = :owner_id AND session_id = session.session_id AND is_active
    ),
    inactive_count = (
        SELECT count(*) FROM messages
        WHERE owner_id = :owner_id AND session_id = session.session_id AND NOT is_active
    ),
    turn_count = (
        SELECT count(DISTINCT turn_number) FROM messages
        WHERE owner_id = :owner_id AND session_id = session.session_id AND is_active
    ),
    current_turn = (
        SELECT max(turn_number) FROM messages
        WHERE owner_id = :owner_id AND session_id = session.session_id AND is_active
    ),
    summarized_through = coalesce((
        SELECT last_sequence FROM summaries
        WHERE owner_id = :owner_id AND session_id = session.session_id
    ), 0),
    summarized_count = CASE WHEN EXISTS (
        SELECT FROM summaries
        WHERE owner_id = :owner_id AND session_id = session.session_id
    ) THEN summarized_count ELSE 0 END
WHERE session.owner_id = :owner_id AND session.session_id = ANY(:session_ids::uuid[])

-- name: unname_sessions
-- Take the names of these sessions whose question is gone; the first question left in each.
-- A name is made of the first 2000 characters after the blanks before it; the rest is not sent,
-- unless it is encrypted.
UPDATE sessions AS session
SET name = NULL, name_turn = NULL
WHERE session.owner_id = :owner_id
  AND session.session_id = ANY(:session_ids::uuid[])
  AND session.name_turn IS NOT NULL
  AND NOT EXISTS (
    SELECT FROM messages AS question
    WHERE question.owner_id = :owner_id
      AND question.session_id = session.session_id
      AND question.turn_number = session.name_turn
      AND question.role = 'user'
  )
RETURNING session_id, (
    SELECT turn_number FROM messages
    WHERE owner_id = :owner_id AND session_id = session.session_id AND role = 'user' AND is_active
    ORDER BY sequence
    LIMIT 1
) AS turn_number, (
    SELECT CASE WHEN is_encrypted(content) THEN content ELSE left(content, 4000) END FROM messages
    WHERE owner_id = :owner_id AND session_id = session.session_id AND role = 'user' AND is_active
    ORDER BY sequence
    LIMIT 1
) AS question

-- name: name_sessions
-- Name sessions after questions of theirs.
UPDATE sessions AS session
SET name = named.name, name_turn = named.turn_number
FROM unnest(:session_ids::uuid[], :names::text[], :turn_numbers::bigint[]) AS named (session_id, name, turn_number)
WHERE session.owner_id = :owner_id AND session.session_id = named.session_id

-- name: count_expired
-- How many sessions of all owners have expired. Those of -infinity are being erased.
SELECT count(*) FROM sessions WHERE expires_at <= :now AND expires_at > '-infinity'

-- name: delete_expired
-- Delete the sessions of all owners that expired first, and tell it in each owner's audit log.
WITH chosen AS (
    SELECT owner_id, session_id FROM sessions
    WHERE expires_at <= :now AND expires_at > '-infinity'  -- these are being erased
    ORDER BY expires_at
    LIMIT :limit
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM sessions AS session
    USING chosen
    WHERE session.owner_id = chosen.owner_id AND session.session_id = chosen.session_id
    RETURNING
        session.owner_id, session.session_id,
        session.message_count + session.inactive_count AS message_count
)
SELECT coalesce(append_audit(jsonb_agg(jsonb_build_object(
    'owner_id', gone.owner_id, 'tenant_id', owner.tenant_id, 'action', 'session.expired',
    'target', gone.session_id, 'items', '{}'::text[], 'count', gone.message_count,
    'actor', 'retention', 'interface', 'worker', 'transaction_id', '', 'at', :now::timestamptz
))), 0)
FROM gone
JOIN owners AS owner ON owner.owner_id = gone.owner_id
