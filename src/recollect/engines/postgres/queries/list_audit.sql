-- The latest lines of the owner's audit log.
SELECT action, target, count, actor, transaction_id, at FROM audit
WHERE owner_id = $1
ORDER BY entry_id DESC
LIMIT $2
