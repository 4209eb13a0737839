-- A tenant's keys, oldest first.
SELECT * FROM api_keys WHERE owner_id = $1 ORDER BY created_at, key_id
