-- Expired sessions, as the archive reads them before they are deleted. One that ended at -infinity
-- never expired: it is to be forgotten, and is not archived.

-- name: some_expired
-- The sessions of all owners that expired first, and whose they are.
SELECT
    owner.tenant_id, owner.user_id, session.session_id, session.created_at, session.updated_at,
    session.expires_at
FROM (
    SELECT * FROM sessions
    WHERE expires_at > '-infinity' AND expires_at <= :now
    ORDER BY expires_at
    LIMIT :limit
) AS session
JOIN owners AS owner ON owner.owner_id = session.owner_id
ORDER BY session.expires_at

-- name: find_expired
-- Those of the owner's sessions that have expired.
SELECT session_id, created_at, updated_at, expires_at FROM sessions
WHERE owner_id = :owner_id
  AND session_id = ANY(:session_ids::uuid[])
  AND expires_at > '-infinity'
  AND expires_at <= :now

-- name: session_to_archive
-- A session with its summary, also if it has expired.
SELECT
    session.*, summary.text AS summary, summary.tables AS summary_tables, summary.first_sequence,
    summary.last_sequence AS summary_end, summary.method, summary.created_at AS summarized_at
FROM sessions AS session
LEFT JOIN LATERAL (
    SELECT own.* FROM summaries AS own
    WHERE own.owner_id = :owner_id AND own.session_id = session.session_id
    LIMIT 1
) AS summary ON true
WHERE session.owner_id = :owner_id AND session.session_id = :session_id

-- name: delete_archived
-- Delete sessions of any owners that are still as they were archived, and tell it in the audit log.
WITH gone AS (
    DELETE FROM sessions AS session
    USING unnest(
        :owner_ids::uuid[], :session_ids::uuid[], :created::timestamptz[], :updated::timestamptz[],
        :ends::timestamptz[]
    ) AS given (owner_id, session_id, created_at, updated_at, expires_at)
    WHERE session.owner_id = given.owner_id
      AND session.session_id = given.session_id
      AND session.created_at = given.created_at
      AND session.updated_at = given.updated_at
      AND session.expires_at = given.expires_at
    RETURNING
        session.owner_id, session.session_id,
        session.message_count + session.inactive_count AS message_count
)
SELECT coalesce(append_audit(jsonb_agg(jsonb_build_object(
    'owner_id', gone.owner_id, 'tenant_id', owner.tenant_id, 'action', 'session.expired',
    'target', gone.session_id, 'items', '{}'::text[], 'count', gone.message_count,
    'actor', 'retention', 'interface', 'worker', 'transaction_id', '', 'at', :now::timestamptz
))), 0) AS count
FROM gone
JOIN owners AS owner ON owner.owner_id = gone.owner_id
