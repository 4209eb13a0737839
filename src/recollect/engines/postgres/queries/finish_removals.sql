-- These are gone from the other store.
DELETE FROM recall_removals
WHERE owner_id = $1 AND removal_id = ANY($2::bigint[])
