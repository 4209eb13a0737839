-- Exports and imports: everything of an owner in pages, and stored again with its ids and times.
-- A page is cut where it has enough bytes. JSON counts four times: it may be stored compressed.

-- name: list_owners
-- Who has something stored, by tenant and owner id, after one of them.
SELECT owner.tenant_id, owner.user_id FROM owners AS owner
WHERE (:tenant::text IS NULL OR owner.tenant_id = :tenant)
  AND (owner.tenant_id, owner.owner_id) > (
    coalesce(:after_tenant::text, :tenant, ''),
    coalesce(:after_owner::uuid, '00000000-0000-0000-0000-000000000000')
  )
  AND NOT owner.is_being_erased
ORDER BY owner.tenant_id, owner.owner_id
LIMIT :limit

-- name: export_sessions
-- The owner's sessions with their summaries from an id on, in the order of ids.
SELECT
    page.*, summary.text AS summary, summary.tables AS summary_tables, summary.first_sequence,
    summary.last_sequence AS summary_end, summary.method, summary.created_at AS summarized_at
FROM (
    SELECT
        following.*,
        sum(following.size) OVER (ORDER BY following.session_id) - following.size AS bytes_before
    FROM (
        SELECT session.*, 4 * pg_column_size(session.metadata) AS size
        FROM sessions AS session
        WHERE session.owner_id = :owner_id
          AND session.session_id >= :start
          AND (session.expires_at IS NULL OR session.expires_at > :now)
        ORDER BY session.session_id
        LIMIT :limit
    ) AS following
) AS page
LEFT JOIN LATERAL (
    SELECT own.* FROM summaries AS own
    WHERE own.owner_id = :owner_id AND own.session_id = page.session_id
    LIMIT 1
) AS summary ON true
WHERE page.bytes_before < :most_bytes
ORDER BY page.session_id

-- name: export_messages
-- Messages of all branches of some sessions, in the order of these, with their turns.
-- The function sets the owner, before the turns of its rows are looked up. That is done one by one: a
-- join might read all of the owner's.
SELECT message.*, turn.status, turn.parent_sequence, turn.is_learnt
FROM export_messages(:owner_id, :session_ids, :after_sequence, :limit, :most_bytes) AS message
LEFT JOIN LATERAL (
    SELECT
        own.status, own.parent_sequence,
        own.index_due IS NULL OR own.learnt IS NOT DISTINCT FROM own.index_due AS is_learnt
    FROM turns AS own
    WHERE own.owner_id = :owner_id
      AND own.session_id = message.session_id
      AND own.turn_number = message.turn_number
    LIMIT 1
) AS turn ON true
ORDER BY message.session_id, message.sequence

-- name: export_entries
-- What recall finds of the owner after a place, by session and number, without vectors.
SELECT page.*
FROM (
    SELECT
        following.*,
        sum(following.size) OVER (ORDER BY following.session_id, following.sequence)
            - following.size AS bytes_before
    FROM (
        SELECT
            entry.session_id, entry.turn_number, entry.sequence, entry.message_ids, entry.text,
            entry.said_at, entry.speaker, entry.tables, octet_length(entry.text) AS size
        FROM recall_entries AS entry
        WHERE entry.owner_id = :owner_id
          AND (entry.session_id, entry.sequence) > (:after_session, :after_sequence)
          AND (
            SELECT session.expires_at IS NULL OR session.expires_at > :now FROM sessions AS session
            WHERE session.owner_id = :owner_id AND session.session_id = entry.session_id
          )
        ORDER BY entry.session_id, entry.sequence
        LIMIT :limit
    ) AS following
) AS page
WHERE page.bytes_before < :most_bytes
ORDER BY page.session_id, page.sequence

-- name: export_audit
-- The owner's audit log after a line, oldest first.
SELECT * FROM audit
WHERE owner_id = :owner_id AND number > :after
ORDER BY number
LIMIT :limit

-- name: hold_profile
-- Lock the owner's profile, made if there is none, and say which version it gave last.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, :user_id, :now)
    ON CONFLICT DO NOTHING
)
INSERT INTO profiles (owner_id, last_version)
VALUES (:owner_id, 0)
ON CONFLICT (owner_id) DO UPDATE SET last_version = profiles.last_version
RETURNING last_version

-- name: profile_sizes
-- The keys of the owner's profile, and how large their values are.
SELECT key, size FROM profile_values WHERE owner_id = :owner_id

-- name: import_profile
-- Store new values of a locked profile with their versions and times.
INSERT INTO profile_values (owner_id, key, value, size, version, created_at, updated_at)
SELECT :owner_id, given.key, given.value, given.size, given.version, given.created_at, given.updated_at
FROM unnest(
    :keys::text[], :values::json[], :sizes::integer[], :versions::bigint[],
    :created::timestamptz[], :updated::timestamptz[]
) AS given (key, value, size, version, created_at, updated_at)

-- name: raise_profile_version
-- Let the next version of a locked profile be higher than that of every value.
UPDATE profiles SET last_version = greatest(last_version, :version) WHERE owner_id = :owner_id

-- name: import_state
-- Set the owner's mode unless there is one.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, :user_id, :now)
    ON CONFLICT DO NOTHING
)
INSERT INTO states (owner_id, mode, updated_at)
VALUES (:owner_id, :mode, :updated_at)
ON CONFLICT (owner_id) DO NOTHING
RETURNING true

-- name: known_facts
-- Which of these facts the owner has.
SELECT fact_id FROM facts WHERE owner_id = :owner_id AND fact_id = ANY(:fact_ids::uuid[])

-- name: import_facts
-- Store facts with their histories, and say which are stored. The function sets the owner.
SELECT import_facts(
    :owner_id, :tenant_id, :user_id, :facts::text::json, :changes::text::json, :now
) AS added

-- name: delete_some_expired
-- Make room for sessions of ids whose last ones have expired, and tell it in the audit log.
WITH gone AS (
    DELETE FROM sessions
    WHERE owner_id = :owner_id AND session_id = ANY(:session_ids::uuid[]) AND expires_at <= :now AND expires_at > '-infinity'
    RETURNING session_id, message_count + inactive_count AS count
)
SELECT append_audit(jsonb_agg(jsonb_build_object(
    'owner_id', :owner_id::uuid, 'tenant_id', :tenant_id::text, 'action', 'session.expired',
    'target', gone.session_id, 'items', '{}'::text[], 'count', gone.count, 'actor', 'retention',
    'interface', 'worker', 'transaction_id', '', 'at', :now::timestamptz
)))
FROM gone

-- name: import_sessions
-- Store sessions that are not there yet, without messages, and say which are stored.
WITH owner AS (
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (:owner_id, :tenant_id, :user_id, :now)
    ON CONFLICT DO NOTHING
)
INSERT INTO sessions (
    owner_id, session_id, name, name_turn, metadata, databases, tags, created_at, updated_at,
    last_accessed_at, expires_at, last_sequence, last_turn, summarized_through
)
SELECT
    :owner_id, given.session_id, given.name, given.name_turn, given.metadata, given.databases,
    given.tags, given.created_at, given.updated_at, given.last_accessed_at, given.expires_at,
    given.last_sequence, given.last_turn, coalesce((given.summary ->> 'last_sequence')::bigint, 0)
FROM json_to_recordset(:sessions::text::json) AS given (
    session_id uuid, name text, name_turn bigint, metadata json, databases text[], tags text[],
    created_at timestamptz, updated_at timestamptz, last_accessed_at timestamptz,
    expires_at timestamptz, last_sequence bigint, last_turn bigint, summary json
)
ON CONFLICT (owner_id, session_id) DO NOTHING
RETURNING session_id

-- name: import_summaries
-- Store the summaries of new sessions.
INSERT INTO summaries (
    owner_id, session_id, first_sequence, last_sequence, text, tables, method, created_at
)
SELECT
    :owner_id, given.session_id, summary.first_sequence, summary.last_sequence, summary.text,
    summary.tables, summary.method, summary.created_at
FROM json_to_recordset(:sessions::text::json) AS given (session_id uuid, summary json)
CROSS JOIN LATERAL json_to_record(given.summary) AS summary (
    first_sequence bigint, last_sequence bigint, text text, tables text[], method text,
    created_at timestamptz
)
WHERE given.session_id = ANY(:session_ids::uuid[]) AND json_typeof(given.summary) = 'object'
ON CONFLICT (owner_id, session_id) DO NOTHING

-- name: taken_places
-- The owner's messages that have one of these ids, or one of these places; some twice.
-- The function sets the owner.
SELECT place.message_id, place.session_id, place.sequence
FROM taken_places(:owner_id, :message_ids, :session_ids, :sequences) AS place

-- name: count_imported
-- Count messages into locked sessions, before they are stored.
UPDATE sessions AS session
SET message_count = session.message_count + counted.active,
    inactive_count = session.inactive_count + counted.inactive,
    turn_count = session.turn_count + counted.turns,
    current_turn = greatest(session.current_turn, counted.current_turn),
    last_sequence = greatest(session.last_sequence, counted.last_sequence),
    last_turn = greatest(session.last_turn, counted.last_turn),
    summarized_count = session.summarized_count + counted.summarized
FROM (
    SELECT
        given.session_id,
        count(*) FILTER (WHERE given.is_active) AS active,
        count(*) FILTER (WHERE NOT given.is_active) AS inactive,
        count(DISTINCT given.turn_number) FILTER (WHERE given.is_active AND NOT EXISTS (
            SELECT FROM messages AS known
            WHERE known.owner_id = :owner_id
              AND known.session_id = given.session_id
              AND known.turn_number = given.turn_number
              AND known.is_active
        )) AS turns,
        max(given.turn_number) FILTER (WHERE given.is_active) AS current_turn,
        max(given.sequence) AS last_sequence,
        max(given.turn_number) AS last_turn,
        count(*) FILTER (WHERE given.is_active AND given.sequence <= held.summarized_through) AS summarized
    FROM unnest(
        :session_ids::uuid[], :sequences::bigint[], :turn_numbers::bigint[], :active::boolean[]
    ) AS given (session_id, sequence, turn_number, is_active)
    CROSS JOIN LATERAL (
        SELECT own.summarized_through FROM sessions AS own
        WHERE own.owner_id = :owner_id AND own.session_id = given.session_id
        LIMIT 1
    ) AS held
    GROUP BY given.session_id
) AS counted
WHERE session.owner_id = :owner_id AND session.session_id = counted.session_id

-- name: import_turns
-- Store the turns of messages that are about to be stored; one that is there is due again.
INSERT INTO turns AS turn (
    owner_id, session_id, turn_number, status, started_at, completed_at, parent_sequence, learnt
)
SELECT
    :owner_id, given.session_id, given.turn_number, given.status, given.started_at,
    CASE WHEN given.status = 'complete' THEN given.ended_at END, given.follows,
    CASE WHEN given.is_learnt THEN pg_current_xact_id()::text::bigint END
FROM unnest(
    :session_ids::uuid[], :turn_numbers::bigint[], :statuses::text[], :started::timestamptz[],
    :ended::timestamptz[], :follows::bigint[], :learnt::boolean[]
) AS given (session_id, turn_number, status, started_at, ended_at, follows, is_learnt)
ON CONFLICT (owner_id, session_id, turn_number) DO UPDATE
SET index_due = excluded.index_due,
    learnt = CASE
        WHEN turn.index_due IS NULL OR turn.learnt IS NOT DISTINCT FROM turn.index_due
        THEN excluded.learnt
        ELSE turn.learnt
    END

-- name: import_messages
-- Store messages at their places.
INSERT INTO messages (
    owner_id, session_id, sequence, message_id, turn_number, role, content, metadata, details,
    created_at, is_active
)
SELECT
    :owner_id, given.session_id, given.sequence, given.message_id, given.turn_number, given.role,
    given.content, given.metadata, given.details, given.created_at, given.is_active
FROM unnest(
    :session_ids::uuid[], :sequences::bigint[], :message_ids::uuid[], :turn_numbers::bigint[],
    :roles::text[], :contents::text[], :metadata::json[], :details::json[],
    :created::timestamptz[], :active::boolean[]
) AS given (
    session_id, sequence, message_id, turn_number, role, content, metadata, details, created_at,
    is_active
)
