-- Add a line to the owner's audit log.
INSERT INTO audit (owner_id, action, target, count, actor, transaction_id, at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
