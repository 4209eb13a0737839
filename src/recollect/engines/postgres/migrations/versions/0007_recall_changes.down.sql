DROP TRIGGER note_changed ON recall_entries;
DROP FUNCTION note_changed_entries();
DROP TRIGGER note_removed ON recall_owners;
DROP FUNCTION note_removed_entries();
ALTER TABLE recall_owners DROP COLUMN changes;
