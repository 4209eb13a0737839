-- Encryption: the data keys of owners, and what is stored plain, to be encrypted later. Pages of a
-- table go through its key. What has changed since its page was read is not overwritten: `xmin`, the
-- transaction that wrote a row, tells.

-- name: find_owner_key
-- The data key of the owner, whom the statement itself sets.
SELECT key.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT wrapped, master_key_id, is_complete FROM recollect_keys.owner_keys
    WHERE scope.owner_id = :owner_id AND owner_id = :owner_id
    LIMIT 1
) AS key

-- name: create_owner_key
-- Store the owner's first data key, and return the one that is stored. The function sets the owner.
SELECT key.wrapped, key.master_key_id, key.is_complete
FROM create_owner_key(:owner_id, :wrapped, :master_key_id) AS key

-- name: discard_unused_key
-- Delete the data key of somebody who has nothing: the write that needed it has changed nothing.
DELETE FROM recollect_keys.owner_keys
WHERE owner_id = :owner_id AND NOT EXISTS (SELECT FROM owners WHERE owner_id = :owner_id)

-- name: destroy_owner_key
-- Destroy the data key of an owner who is being erased; how many rows are left. The function sets the owner.
SELECT destroy_owner_key(:owner_id, :erasure_id, :cached_for) AS rows_left

-- name: count_owner_keys
-- How many data keys the owner has.
SELECT count(*) FROM recollect_keys.owner_keys WHERE owner_id = :owner_id

-- name: complete_owner_key
-- The words of all recall entries of the owner are keyed.
UPDATE recollect_keys.owner_keys SET is_complete = true WHERE owner_id = :owner_id AND NOT is_complete

-- name: sample_owner_keys
-- One data key of each master key. It steps from one to the next through the index.
WITH RECURSIVE sample AS (
    (
        SELECT owner_id, wrapped, master_key_id FROM recollect_keys.owner_keys
        WHERE destroyed_at IS NULL
        ORDER BY master_key_id
        LIMIT 1
    )
    UNION ALL
    SELECT following.* FROM sample
    CROSS JOIN LATERAL (
        SELECT key.owner_id, key.wrapped, key.master_key_id FROM recollect_keys.owner_keys AS key
        WHERE key.master_key_id > sample.master_key_id AND key.destroyed_at IS NULL
        ORDER BY key.master_key_id
        LIMIT 1
    ) AS following
)
SELECT owner_id, wrapped, master_key_id FROM sample

-- name: any_owner_key
-- Whether content is encrypted: whether anybody has a data key. The statement says itself that it is a worker's.
SELECT own.*
FROM (SELECT set_config('recollect.worker', 'on', true) AS worker OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT master_key_id FROM recollect_keys.owner_keys
    WHERE scope.worker = 'on' AND destroyed_at IS NULL
    LIMIT 1
) AS own

-- name: count_keys_by_master
-- How many data keys each master key wraps.
SELECT master_key_id, count(*) AS number FROM recollect_keys.owner_keys
WHERE destroyed_at IS NULL
GROUP BY master_key_id
ORDER BY master_key_id

-- name: keys_to_rewrap
-- Some data keys of all owners that another master key wraps than the current one, each with its
-- owner's tenant, if the owner is still there.
SELECT key.owner_id, key.wrapped, key.master_key_id, owner.tenant_id
FROM recollect_keys.owner_keys AS key
LEFT JOIN owners AS owner ON owner.owner_id = key.owner_id
WHERE key.master_key_id <> :current AND key.destroyed_at IS NULL
LIMIT :limit
FOR UPDATE OF key SKIP LOCKED

-- name: rewrap_keys
-- Store data keys that the current master key wraps. They were locked since they were read.
UPDATE recollect_keys.owner_keys AS key
SET wrapped = given.wrapped, master_key_id = :current
FROM unnest(:owner_ids::uuid[], :wrapped::bytea[]) AS given (owner_id, wrapped)
WHERE key.owner_id = given.owner_id

-- name: page_of_sessions
-- Sessions of the owner after one, and what they are called.
SELECT session_id, name, metadata, xmin::text AS row_version FROM sessions
WHERE owner_id = :owner_id AND session_id > :after_session
ORDER BY session_id
LIMIT :limit

-- name: encrypt_sessions
-- Put encrypted columns into sessions as they were read.
UPDATE sessions AS own
SET name = given.name, metadata = given.metadata
FROM json_to_recordset(:rows::text::json) AS given (session_id uuid, name text, metadata json, row_version text)
WHERE own.owner_id = :owner_id AND own.session_id = given.session_id AND own.xmin::text = given.row_version

-- name: page_of_messages
-- Messages of the owner after a place.
SELECT session_id, sequence, created_at, content, metadata, details, xmin::text AS row_version FROM messages
WHERE owner_id = :owner_id AND (session_id, sequence) > (:after_session, :after_sequence)
ORDER BY session_id, sequence
LIMIT :limit

-- name: encrypt_messages
-- Put encrypted columns into messages as they were read.
UPDATE messages AS own
SET content = given.content, metadata = given.metadata, details = given.details
FROM json_to_recordset(:rows::text::json) AS given (
    session_id uuid, sequence bigint, content text, metadata json, details json, row_version text
)
WHERE own.owner_id = :owner_id AND own.session_id = given.session_id AND own.sequence = given.sequence AND own.xmin::text = given.row_version

-- name: page_of_summaries
-- Summaries of the owner after that of a session.
SELECT session_id, text, xmin::text AS row_version FROM summaries
WHERE owner_id = :owner_id AND session_id > :after_session
ORDER BY session_id
LIMIT :limit

-- name: encrypt_summaries
-- Put encrypted texts into summaries as they were read.
UPDATE summaries AS own SET text = given.text
FROM json_to_recordset(:rows::text::json) AS given (session_id uuid, text text, row_version text)
WHERE own.owner_id = :owner_id AND own.session_id = given.session_id AND own.xmin::text = given.row_version

-- name: page_of_profile_values
-- Values of the owner's profile after a key.
SELECT key, value, xmin::text AS row_version FROM profile_values
WHERE owner_id = :owner_id AND key > :after_key
ORDER BY key
LIMIT :limit

-- name: encrypt_profile_values
-- Put encrypted values into a profile, where they are as they were read.
UPDATE profile_values AS own SET value = given.value
FROM json_to_recordset(:rows::text::json) AS given (key text, value json, row_version text)
WHERE own.owner_id = :owner_id AND own.key = given.key AND own.xmin::text = given.row_version

-- name: page_of_recall_entries
-- Recall entries of the owner after a place, with their words.
SELECT session_id, sequence, text, terms, counts, xmin::text AS row_version FROM recall_entries
WHERE owner_id = :owner_id AND (session_id, sequence) > (:after_session, :after_sequence)
ORDER BY session_id, sequence
LIMIT :limit

-- name: encrypt_recall_entries
-- Put encrypted texts and keyed words into entries as they were read. The function sets the owner.
SELECT encrypt_entries(:owner_id, :rows::text::json)

-- name: page_of_facts
-- Facts of the owner after one.
SELECT fact_id, content, quote, searched, gist, xmin::text AS row_version FROM facts
WHERE owner_id = :owner_id AND fact_id > :after_fact
ORDER BY fact_id
LIMIT :limit

-- name: encrypt_facts
-- Put encrypted columns into facts as they were read.
UPDATE facts AS own
SET content = given.content, quote = given.quote, searched = given.searched, gist = given.gist
FROM json_to_recordset(:rows::text::json) AS given (
    fact_id uuid, content text, quote text, searched text, gist uuid, row_version text
)
WHERE own.owner_id = :owner_id AND own.fact_id = given.fact_id AND own.xmin::text = given.row_version

-- name: page_of_fact_changes
-- Changes of the owner's facts after a version of one.
SELECT fact_id, version, content, statement, reason, statement_gist, xmin::text AS row_version FROM fact_changes
WHERE owner_id = :owner_id AND (fact_id, version) > (:after_fact, :after_version)
ORDER BY fact_id, version
LIMIT :limit

-- name: encrypt_fact_changes
-- Put encrypted columns into changes of facts as they were read.
UPDATE fact_changes AS own
SET content = given.content,
    statement = given.statement,
    reason = given.reason,
    statement_gist = given.statement_gist
FROM json_to_recordset(:rows::text::json) AS given (
    fact_id uuid, version integer, content text, statement text, reason text, statement_gist uuid, row_version text
)
WHERE own.owner_id = :owner_id AND own.fact_id = given.fact_id AND own.version = given.version AND own.xmin::text = given.row_version
