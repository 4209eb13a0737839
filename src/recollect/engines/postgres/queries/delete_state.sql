-- Forget the owner's mode and say what it was.
DELETE FROM states WHERE owner_id = $1 RETURNING mode
