-- Revoke a key unless it is revoked already.
UPDATE api_keys SET revoked_at = $3
WHERE owner_id = $1 AND key_id = $2 AND revoked_at IS NULL
RETURNING true
