-- Let writers of an owner's entries queue up, even before there is any entry.
INSERT INTO recall_owners (owner_id, entries, length, last_number)
VALUES ($1, 0, 0, 0)
ON CONFLICT (owner_id) DO UPDATE SET last_number = recall_owners.last_number
