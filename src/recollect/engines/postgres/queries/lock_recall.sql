-- Let writers of an owner's entries queue up, and give the next ones so many numbers.
INSERT INTO recall_owners (owner_id, entries, length, last_number)
VALUES ($1, 0, 0, $2)
ON CONFLICT (owner_id) DO UPDATE SET last_number = recall_owners.last_number + $2
RETURNING last_number - $2 AS last_number
