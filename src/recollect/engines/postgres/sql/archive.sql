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

-- name: claim_owner
-- Store who the owner is, if nobody did.
INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
VALUES (:owner_id, :tenant_id, :user_id, :now)
ON CONFLICT DO NOTHING

-- name: add_archive_note
-- Note an archive of the owner; no row if the owner is not known, or being erased. It waits for an
-- erasure that begins at this moment, and reads what that has decided.
WITH owner AS (
    SELECT owner_id FROM owners
    WHERE owner_id = :owner_id AND NOT is_being_erased
    FOR KEY SHARE
), noted AS (
    INSERT INTO archive_notes (owner_id, archive, noted_at)
    SELECT :owner_id, :archive, :now FROM owner
    ON CONFLICT DO NOTHING
)
SELECT owner_id FROM owner

-- name: archive_notes_of_owner
-- The archives that may have sessions of the owner.
SELECT archive FROM archive_notes WHERE owner_id = :owner_id ORDER BY archive

-- name: remove_archive_note
-- An archive has nothing of the owner any more.
DELETE FROM archive_notes WHERE owner_id = :owner_id AND archive = :archive

-- name: replace_archive_notes
-- Note another archive in place of one for all owners, or none; how many that are.
WITH gone AS (
    DELETE FROM archive_notes WHERE archive = :archive RETURNING owner_id, noted_at
), noted AS (
    INSERT INTO archive_notes (owner_id, archive, noted_at)
    SELECT owner_id, :by::text, noted_at FROM gone WHERE :by::text IS NOT NULL
    ON CONFLICT DO NOTHING
)
SELECT count(*) FROM gone
