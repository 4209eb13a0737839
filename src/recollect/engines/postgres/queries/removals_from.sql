-- The oldest of what still has to go from another store.
SELECT removal_id, owner_id, session_id, number FROM recall_removals
WHERE kept_in = $1
ORDER BY removal_id
LIMIT $2
