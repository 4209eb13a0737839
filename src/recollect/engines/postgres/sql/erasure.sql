-- Erasures: begin them, carry them on, look for what is left, and finish them.

-- name: begin_erasure
-- Begin an erasure and return its id, or that of the same one under way. The function sets the owner.
SELECT begin_erasure(
    :owner_id, :tenant_id, :user_id, :erasure_id, :kind, :session_id, :before, :part_of, :actor,
    :transaction_id, :now
) AS erasure_id

-- name: get_erasure
-- One erasure of the owner.
SELECT * FROM erasures WHERE owner_id = :owner_id AND erasure_id = :erasure_id

-- name: due_erasures
-- Erasures of all owners, of one tenant, or the parts of one, to be carried on now, the longest waiting first.
SELECT * FROM erasures
WHERE state = 'under_way' AND next_at <= :now AND (:part_of::uuid IS NULL OR part_of = :part_of)
    AND (:tenant_id::text IS NULL OR tenant_id = :tenant_id)
ORDER BY next_at, erasure_id
LIMIT :limit

-- name: recent_erasures
-- Which erasures of all owners began or ended since a time.
SELECT erasure_id, owner_id, changed_at FROM erasures WHERE changed_at >= :since ORDER BY changed_at

-- name: is_being_erased
-- Whether everything of the owner is being erased, or one session of theirs.
-- The statement sets the owner itself.
SELECT erased.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT true FROM owners
    WHERE scope.owner_id = :owner_id AND owners.owner_id = :owner_id AND is_being_erased
    UNION ALL
    SELECT true FROM sessions
    WHERE scope.owner_id = :owner_id AND sessions.owner_id = :owner_id
      AND session_id = :session_id AND expires_at = '-infinity'
    LIMIT 1
) AS erased

-- name: count_erased
-- Add to what an erasure has erased. The function sets the owner.
SELECT count_erased(:owner_id, :erasure_id, :place, :kind, :number)

-- name: postpone_erasure
-- Let an erasure wait until a time, and say for what.
UPDATE erasures SET next_at = :until, waits_for = :waits_for
WHERE owner_id = :owner_id AND erasure_id = :erasure_id AND state = 'under_way'

-- name: erase_rows
-- Delete some rows of everything or of a session; whether there may be more. The function sets the owner.
SELECT erase_rows(:owner_id, :erasure_id, :session_id, :limit) AS has_more

-- name: erase_before
-- Delete some of what was before a time; the sessions that changed. The function sets the owner.
SELECT erase_before(:owner_id, :erasure_id, :before, :limit) AS session_ids

-- name: rows_left
-- How many rows of the owner, or of a session, there are in each table. The function sets the owner.
SELECT name, number FROM rows_left(:owner_id, :session_id)

-- name: rows_left_before
-- How much there is of the owner from before a time, by table.
SELECT 'messages' AS name, count(*) AS number FROM messages
WHERE owner_id = :owner_id AND created_at < :before
UNION ALL
SELECT 'recall_entries', count(*) FROM recall_entries
WHERE owner_id = :owner_id AND said_at < :before
UNION ALL
SELECT 'facts', count(*) FROM facts WHERE owner_id = :owner_id AND created_at < :before
UNION ALL
SELECT 'profile_values', count(*) FROM profile_values
WHERE owner_id = :owner_id AND updated_at < :before
UNION ALL
SELECT 'states', count(*) FROM states WHERE owner_id = :owner_id AND updated_at < :before
UNION ALL
SELECT 'recall_removals', count(*) FROM recall_removals WHERE owner_id = :owner_id

-- name: hold_erasure
-- Hold an erasure that is under way against others who would finish it.
SELECT true FROM erasures
WHERE owner_id = :owner_id AND erasure_id = :erasure_id AND state = 'under_way'
FOR UPDATE

-- name: finish_erasure
-- An erasure is done: its receipt is stored.
UPDATE erasures
SET state = 'done', receipt = :receipt::text::json, waits_for = NULL, changed_at = :now
WHERE owner_id = :owner_id AND erasure_id = :erasure_id

-- name: delete_owner
-- Delete the owner's own row, the last one; a tenant with keys stays.
DELETE FROM owners AS owner
WHERE owner.owner_id = :owner_id
  AND NOT EXISTS (SELECT FROM api_keys AS key WHERE key.owner_id = :owner_id)

-- name: users_of_tenant
-- Users of a tenant who are to be erased with it, by their owner ids: not those who came later.
SELECT owner.owner_id, owner.tenant_id, owner.user_id
FROM owners AS tenant
JOIN owners AS owner ON owner.tenant_id = tenant.tenant_id
WHERE tenant.owner_id = :tenant_owner_id
  AND owner.user_id <> ''
  AND owner.created_at <= :requested_at
  AND (:after::uuid IS NULL OR owner.owner_id > :after)
  AND NOT owner.is_being_erased
  AND NOT EXISTS (
    SELECT FROM erasures AS part WHERE part.part_of = :erasure_id AND part.owner_id = owner.owner_id
  )
ORDER BY owner.owner_id
LIMIT :limit

-- name: users_left
-- How many users of a tenant who are to be erased with it are not yet.
SELECT count(*) FROM owners AS tenant
JOIN owners AS owner ON owner.tenant_id = tenant.tenant_id
WHERE tenant.owner_id = :tenant_owner_id
  AND owner.user_id <> ''
  AND owner.created_at <= :requested_at
  AND NOT EXISTS (
    SELECT FROM erasures AS part
    WHERE part.part_of = :erasure_id AND part.owner_id = owner.owner_id AND part.state = 'done'
  )

-- name: counts_of_parts
-- What the erasures of a tenant's users have erased, by place and kind.
SELECT place.key AS place, kind.key AS kind, sum(kind.value::bigint)::bigint AS number
FROM erasures AS part
CROSS JOIN LATERAL jsonb_each(part.counts) AS place
CROSS JOIN LATERAL jsonb_each_text(place.value) AS kind
WHERE part.part_of = :erasure_id
GROUP BY 1, 2
ORDER BY 1, 2

-- name: state_of_parts
-- How many erasures of a tenant's users there are, how many are done, and their sampled phrases.
SELECT
    count(*) AS parts,
    count(*) FILTER (WHERE state = 'done') AS done,
    coalesce(sum((receipt -> 'verification' -> 'phrases' ->> 'sampled')::bigint), 0)::bigint AS sampled,
    coalesce(sum(expected), 0)::bigint AS expected
FROM erasures
WHERE part_of = :erasure_id

-- name: sample_messages
-- The beginnings of some messages that are to be erased; encrypted ones are whole.
SELECT CASE WHEN is_encrypted(content) THEN content ELSE left(content, 4000) END AS content FROM messages
WHERE owner_id = :owner_id
  AND session_id >= (SELECT coalesce(:session_id, '00000000-0000-0000-0000-000000000000'::uuid))
  AND session_id <= (SELECT coalesce(:session_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
  AND created_at < (SELECT coalesce(:before, 'infinity'::timestamptz))
ORDER BY session_id, sequence
LIMIT :limit

-- name: phrases_that_stay
-- Which of these phrases messages of the owner have that are not erased: of other sessions, or later.
SELECT phrase FROM unnest(:phrases::text[]) AS given (phrase)
WHERE EXISTS (
    SELECT FROM messages AS message
    WHERE message.owner_id = :owner_id
      AND (message.session_id <> :session_id::uuid OR message.created_at >= :before::timestamptz)
      AND strpos(message.content, given.phrase) > 0
)

-- name: phrases_left
-- How many of these phrases are in any text of the owner.
SELECT count(*) FROM unnest(:phrases::text[]) AS given (phrase)
WHERE EXISTS (
    SELECT FROM messages AS one
    WHERE one.owner_id = :owner_id AND strpos(one.content, given.phrase) > 0
) OR EXISTS (
    SELECT FROM summaries AS one WHERE one.owner_id = :owner_id AND strpos(one.text, given.phrase) > 0
) OR EXISTS (
    SELECT FROM sessions AS one WHERE one.owner_id = :owner_id AND strpos(one.name, given.phrase) > 0
) OR EXISTS (
    SELECT FROM recall_entries AS one
    WHERE one.owner_id = :owner_id AND strpos(one.text, given.phrase) > 0
) OR EXISTS (
    SELECT FROM facts AS one
    WHERE one.owner_id = :owner_id AND strpos(concat(one.content, ' ', one.quote), given.phrase) > 0
) OR EXISTS (
    SELECT FROM fact_changes AS one
    WHERE one.owner_id = :owner_id AND strpos(concat(one.content, ' ', one.statement), given.phrase) > 0
) OR EXISTS (
    SELECT FROM profile_values AS one
    WHERE one.owner_id = :owner_id AND strpos(one.value::text, given.phrase) > 0
)

-- name: receipt_key
-- The key that receipts are signed with; a new one, if there was none.
WITH new AS (
    INSERT INTO receipt_keys (owner_id, key, created_at)
    VALUES (:owner_id, :key, :now)
    ON CONFLICT (owner_id) DO NOTHING
    RETURNING key
)
SELECT key FROM new
UNION ALL
SELECT key FROM receipt_keys WHERE owner_id = :owner_id
LIMIT 1

-- name: removals_of_owner
-- The oldest of what has still to go from another store, of the owner or of one session.
SELECT removal_id, session_id, number FROM recall_removals
WHERE owner_id = :owner_id
  AND kept_in = :store
  AND (:session_id::uuid IS NULL OR session_id = :session_id)
ORDER BY removal_id
LIMIT :limit

-- name: last_removal
-- The number of the newest removal of the owner.
SELECT coalesce(max(removal_id), 0) FROM recall_removals WHERE owner_id = :owner_id AND kept_in = :store

-- name: forget_removals
-- Delete the removals of the owner up to a number: the store has nothing of them.
DELETE FROM recall_removals
WHERE owner_id = :owner_id AND kept_in = :store AND removal_id <= :through

-- name: forget_store
-- Forget what has to go from a store that is no more; how much that was.
WITH gone AS (DELETE FROM recall_removals WHERE kept_in = :store RETURNING 1)
SELECT count(*) FROM gone
