-- Facts about users: change, list and search them, and find what is to be embedded. Columns are named:
-- a vector is half of a row, and the driver would read it as text.

-- name: commit_facts
-- Store the next versions of some facts with their history, all or none; whether they are stored.
-- The function sets the owner.
SELECT commit_facts(
    :owner_id, :tenant_id, :user_id, :fact_ids, :facts::text::json, :changes::text::json,
    :learnt_from, :now
) AS is_stored

-- name: embed_facts
-- Give facts the vectors of a model, if they are still of the versions that were embedded.
-- The function sets the owner.
SELECT embed_facts(:owner_id, :model, :vectors::text::json)

-- name: delete_facts
-- Delete some facts of the owner with their history, or all; how many. The function sets the owner.
SELECT delete_facts(:owner_id, :fact_ids) AS deleted

-- name: touch_facts
-- Count an access of each of these facts of the owner. The function sets the owner.
SELECT touch_facts(:owner_id, :fact_ids, :at)

-- name: active_facts
-- The owner's active facts with their vectors, oldest first; the statement sets the owner itself.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        fact.fact_id, fact.version, fact.type, fact.priority, fact.status, fact.source,
        fact.confidence, fact.created_at, fact.updated_at, fact.accessed_at, fact.access_count,
        fact.valid_from, fact.valid_to, fact.slot, fact.language, fact.content, fact.session_id,
        fact.message_id, fact.turn_number, fact.quote, fact.tables, fact.model,
        halfvec_send(fact.vector) AS vector
    FROM facts AS fact
    WHERE scope.owner_id = :owner_id AND fact.owner_id = :owner_id AND fact.status = 'active'
    ORDER BY fact.created_at, fact.fact_id
    OFFSET 0
) AS result

-- name: get_fact
-- A fact of the owner.
SELECT
    fact_id, version, type, priority, status, source, confidence, created_at, updated_at,
    accessed_at, access_count, valid_from, valid_to, slot, language, content, session_id,
    message_id, turn_number, quote, tables
FROM facts
WHERE owner_id = :owner_id AND fact_id = :fact_id

-- name: fact_history
-- The changes of a fact, oldest first.
SELECT fact_id, version, kind, at, actor, content, status, reason, message_id, statement
FROM fact_changes
WHERE owner_id = :owner_id AND fact_id = :fact_id
ORDER BY version

-- name: fact_histories
-- The changes of some facts, each oldest first.
SELECT fact_id, version, kind, at, actor, content, status, reason, message_id, statement
FROM fact_changes
WHERE owner_id = :owner_id AND fact_id = ANY(:fact_ids::uuid[])
ORDER BY fact_id, version

-- name: learnt_statements
-- What has been learnt from these messages.
SELECT message_id, statement FROM fact_changes
WHERE owner_id = :owner_id
  AND message_id = ANY(:message_ids::uuid[])
  AND message_id IS NOT NULL
  AND statement_gist IS NOT NULL

-- name: newest_facts
-- A page of the owner's facts that match, from a position on, the last made first: what people look
-- at. By the index it takes 0.1 ms of 10,000 facts, of which `list_facts` takes 20 ms.
SELECT
    fact_id, version, type, priority, status, source, confidence, created_at, updated_at,
    accessed_at, access_count, valid_from, valid_to, slot, language, content, session_id,
    message_id, turn_number, quote, tables
FROM facts
WHERE owner_id = :owner_id
  AND (created_at, fact_id) < (
    coalesce(:after_time::timestamptz, 'infinity'),
    coalesce(:after_fact::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  )
  AND (:type::text IS NULL OR type = :type)
  AND (:priority::text IS NULL OR priority = :priority)
  AND (:status::text IS NULL OR status = :status)
  AND (:searched::text IS NULL OR strpos(searched, :searched) > 0)
ORDER BY created_at DESC, fact_id DESC
LIMIT :limit OFFSET :offset

-- name: list_facts
-- The same in any order. No index: one on a time that every access moves would cost each of them
-- more than sorting an owner's facts does.
SELECT
    fact.fact_id, fact.version, fact.type, fact.priority, fact.status, fact.source,
    fact.confidence, fact.created_at, fact.updated_at, fact.accessed_at, fact.access_count,
    fact.valid_from, fact.valid_to, fact.slot, fact.language, fact.content, fact.session_id,
    fact.message_id, fact.turn_number, fact.quote, fact.tables
FROM facts AS fact
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN :sort::text = 'priority' THEN array_position(:priorities::text[], fact.priority) - 1 ELSE 0 END,
        CASE :sort
            WHEN 'created' THEN fact.created_at
            WHEN 'last_accessed' THEN fact.accessed_at
            ELSE fact.updated_at
        END
) AS place (rank, at)
WHERE fact.owner_id = :owner_id
  AND (:type::text IS NULL OR fact.type = :type)
  AND (:priority::text IS NULL OR fact.priority = :priority)
  AND (:status::text IS NULL OR fact.status = :status)
  AND (:searched::text IS NULL OR strpos(fact.searched, :searched) > 0)
  AND (:after_time::timestamptz IS NULL OR CASE
    WHEN :descending::boolean
    THEN (place.rank, place.at, fact.fact_id) < (:after_rank::bigint, :after_time, :after_fact::uuid)
    ELSE (place.rank, place.at, fact.fact_id) > (:after_rank, :after_time, :after_fact)
  END)
ORDER BY
    CASE WHEN :descending THEN place.rank END DESC,
    CASE WHEN :descending THEN place.at END DESC,
    CASE WHEN :descending THEN fact.fact_id END DESC,
    place.rank, place.at, fact.fact_id
LIMIT :limit OFFSET :offset

-- name: nearest_facts
-- The owner's active facts nearest to a vector, those without a vector of the model last, and the
-- last changed about some slots. Whole rows are read of the facts found alone. The statement sets the owner itself.
SELECT result.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        fact.fact_id, fact.version, fact.type, fact.priority, fact.status, fact.source,
        fact.confidence, fact.created_at, fact.updated_at, fact.accessed_at, fact.access_count,
        fact.valid_from, fact.valid_to, fact.slot, fact.language, fact.content, fact.session_id,
        fact.message_id, fact.turn_number, fact.quote, fact.tables, nearest.cosine
    FROM (SELECT :vector::text::halfvec AS vector OFFSET 0) AS question
    CROSS JOIN LATERAL (
        (
            SELECT
                one.fact_id,
                CASE WHEN one.model = :model AND vector_dims(one.vector) = vector_dims(question.vector)
                    THEN inner_product(one.vector, question.vector) END AS cosine
            FROM facts AS one
            WHERE one.owner_id = :owner_id AND one.status = 'active'
            ORDER BY cosine DESC NULLS LAST, one.created_at DESC, one.fact_id DESC
            LIMIT :limit
        )
        UNION
        (
            SELECT
                one.fact_id,
                CASE WHEN one.model = :model AND vector_dims(one.vector) = vector_dims(question.vector)
                    THEN inner_product(one.vector, question.vector) END AS cosine
            FROM facts AS one
            WHERE one.owner_id = :owner_id AND one.status = 'active' AND one.slot = ANY(:slots::text[])
            ORDER BY one.updated_at DESC, one.fact_id DESC
            LIMIT :limit
        )
    ) AS nearest
    JOIN facts AS fact ON fact.owner_id = :owner_id AND fact.fact_id = nearest.fact_id
    WHERE scope.owner_id = :owner_id
    ORDER BY nearest.cosine DESC NULLS LAST, fact.created_at DESC, fact.fact_id DESC
    OFFSET 0
) AS result

-- name: count_facts
-- How many facts the owner has of each type, priority, status and week; weeks start on Mondays.
SELECT
    type, priority, status, date_trunc('week', created_at AT TIME ZONE 'UTC')::date AS week,
    count(*) AS count
FROM facts
WHERE owner_id = :owner_id
GROUP BY type, priority, status, week
ORDER BY week

-- name: owners_of_outdated_facts
-- Some owners of whom a model has not embedded all active facts, and who they are.
SELECT outdated.owner_id, owner.tenant_id, owner.user_id
FROM (
    (SELECT owner_id FROM fact_models WHERE model < :model LIMIT :limit)
    UNION
    (SELECT owner_id FROM fact_models WHERE model > :model LIMIT :limit)
) AS outdated
JOIN owners AS owner ON owner.owner_id = outdated.owner_id

-- name: outdated_facts
-- The owner's active facts that a model has not embedded, oldest first.
SELECT
    fact_id, version, type, priority, status, source, confidence, created_at, updated_at,
    accessed_at, access_count, valid_from, valid_to, slot, language, content, session_id,
    message_id, turn_number, quote, tables
FROM facts
WHERE owner_id = :owner_id AND status = 'active' AND model IS DISTINCT FROM :model
ORDER BY created_at, fact_id
LIMIT :limit

-- name: owners_of_facts
-- Some owners with active facts, in the order of their ids, and who they are.
SELECT known.owner_id, owner.tenant_id, owner.user_id
FROM (
    SELECT DISTINCT owner_id FROM fact_models
    WHERE :after::uuid IS NULL OR owner_id > :after
    ORDER BY owner_id
    LIMIT :limit
) AS known
JOIN owners AS owner ON owner.owner_id = known.owner_id
ORDER BY known.owner_id
