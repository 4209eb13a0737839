-- The audit log: entries are added to the chains of their owners, read, checked and pruned.

-- name: append_audit
-- Add entries to the chains of their owners. The function sets each owner.
SELECT append_audit(:entries::jsonb)

-- name: list_audit
-- The latest entries of the owner.
SELECT * FROM audit
WHERE owner_id = :owner_id
ORDER BY number DESC
LIMIT :limit

-- name: list_audit_of_tenant
-- A page of the entries of all owners of a tenant by time, from a position on, in either order.
-- The statement sets the tenant itself. Each order is a branch of its own, as in list_history.
SELECT page.*, owner.user_id
FROM (SELECT set_config('recollect.audited_tenant', :tenant_id, true) AS tenant_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT both_orders.* FROM (
        (
            SELECT entry.* FROM audit AS entry
            WHERE scope.tenant_id = :tenant_id
              AND entry.tenant_id = :tenant_id
              AND :newest_first::boolean
              AND (entry.at, entry.owner_id, entry.number) < (
                (SELECT coalesce(:after_time, 'infinity'::timestamptz)),
                (SELECT coalesce(:after_owner, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)),
                (SELECT coalesce(:after_number, 9223372036854775807))
              )
              AND (:action::text IS NULL OR entry.action = :action)
              AND entry.at >= (SELECT coalesce(:since, '-infinity'::timestamptz))
              AND entry.at < (SELECT coalesce(:until, 'infinity'::timestamptz))
            ORDER BY entry.at DESC, entry.owner_id DESC, entry.number DESC
            LIMIT :limit OFFSET :offset
        )
        UNION ALL
        (
            SELECT entry.* FROM audit AS entry
            WHERE scope.tenant_id = :tenant_id
              AND entry.tenant_id = :tenant_id
              AND NOT :newest_first
              AND (entry.at, entry.owner_id, entry.number) > (
                (SELECT coalesce(:after_time, '-infinity'::timestamptz)),
                (SELECT coalesce(:after_owner, '00000000-0000-0000-0000-000000000000'::uuid)),
                (SELECT coalesce(:after_number, 0))
              )
              AND (:action::text IS NULL OR entry.action = :action)
              AND entry.at >= (SELECT coalesce(:since, '-infinity'::timestamptz))
              AND entry.at < (SELECT coalesce(:until, 'infinity'::timestamptz))
            ORDER BY entry.at, entry.owner_id, entry.number
            LIMIT :limit OFFSET :offset
        )
    ) AS both_orders
    OFFSET 0
) AS page
LEFT JOIN owners AS owner ON owner.owner_id = page.owner_id

-- name: list_audit_of_owner
-- The same for one owner of the tenant, in the order of the chain.
SELECT page.*, owner.user_id
FROM (SELECT set_config('recollect.audited_tenant', :tenant_id, true) AS tenant_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT both_orders.* FROM (
        (
            SELECT entry.* FROM audit AS entry
            WHERE scope.tenant_id = :tenant_id
              AND entry.tenant_id = :tenant_id
              AND entry.owner_id = :owner_id
              AND :newest_first::boolean
              AND entry.number < (SELECT coalesce(:after_number, 9223372036854775807))
              AND (:action::text IS NULL OR entry.action = :action)
              AND entry.at >= (SELECT coalesce(:since, '-infinity'::timestamptz))
              AND entry.at < (SELECT coalesce(:until, 'infinity'::timestamptz))
            ORDER BY entry.number DESC
            LIMIT :limit OFFSET :offset
        )
        UNION ALL
        (
            SELECT entry.* FROM audit AS entry
            WHERE scope.tenant_id = :tenant_id
              AND entry.tenant_id = :tenant_id
              AND entry.owner_id = :owner_id
              AND NOT :newest_first
              AND entry.number > (SELECT coalesce(:after_number, 0))
              AND (:action::text IS NULL OR entry.action = :action)
              AND entry.at >= (SELECT coalesce(:since, '-infinity'::timestamptz))
              AND entry.at < (SELECT coalesce(:until, 'infinity'::timestamptz))
            ORDER BY entry.number
            LIMIT :limit OFFSET :offset
        )
    ) AS both_orders
    OFFSET 0
) AS page
LEFT JOIN owners AS owner ON owner.owner_id = page.owner_id

-- name: audit_chains_of_tenant
-- Some chains of a tenant in the order of their owners, from one on. The statement sets the tenant
-- itself.
SELECT chain.*
FROM (SELECT set_config('recollect.audited_tenant', :tenant_id, true) AS tenant_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT chain.* FROM audit_chains AS chain
    WHERE scope.tenant_id = :tenant_id
      AND chain.tenant_id = :tenant_id
      AND chain.owner_id > (SELECT coalesce(:after, '00000000-0000-0000-0000-000000000000'::uuid))
    ORDER BY chain.owner_id
    LIMIT :limit
) AS chain

-- name: audit_chain_of_owner
-- The chain of one owner of the tenant. The statement sets the tenant itself.
SELECT chain.*
FROM (SELECT set_config('recollect.audited_tenant', :tenant_id, true) AS tenant_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT chain.* FROM audit_chains AS chain
    WHERE scope.tenant_id = :tenant_id
      AND chain.tenant_id = :tenant_id
      AND chain.owner_id = :owner_id
    LIMIT 1
) AS chain

-- name: audit_links
-- Some entries of one owner of the tenant in the order of the chain, from one on. The statement
-- sets the tenant itself.
SELECT link.*
FROM (SELECT set_config('recollect.audited_tenant', :tenant_id, true) AS tenant_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT entry.*, NULL AS user_id FROM audit AS entry
    WHERE scope.tenant_id = :tenant_id
      AND entry.tenant_id = :tenant_id
      AND entry.owner_id = :owner_id
      AND entry.number > :after
    ORDER BY entry.number
    LIMIT :limit
) AS link

-- name: unchained_audit
-- The first entry of a tenant whose owner has no chain. The statement sets the tenant itself.
SELECT entry.*
FROM (SELECT set_config('recollect.audited_tenant', :tenant_id, true) AS tenant_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT entry.*, NULL AS user_id FROM audit AS entry
    WHERE scope.tenant_id = :tenant_id
      AND entry.tenant_id = :tenant_id
      AND NOT EXISTS (
        SELECT FROM audit_chains AS chain
        WHERE chain.tenant_id = :tenant_id AND chain.owner_id = entry.owner_id
      )
    ORDER BY entry.at, entry.owner_id, entry.number
    LIMIT 1
) AS entry

-- name: count_old_audit
-- How many entries of all owners are older.
SELECT count(*) FROM audit_chains AS chain
JOIN audit AS entry ON entry.owner_id = chain.owner_id
WHERE chain.begins_at < :before AND entry.at < :before

-- name: prune_audit
-- Delete the oldest entries of some chains, as far as they are older.
SELECT prune_audit(:before, :most_chains, :most_entries)
