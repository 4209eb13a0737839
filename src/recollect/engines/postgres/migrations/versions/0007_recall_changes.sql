-- Whoever keeps an owner's entries at hand can tell what became of them: more of them have higher
-- numbers than the last, and every other change is counted here. The count starts with the time,
-- so that an owner who was erased and came back is never taken for what was there before.
ALTER TABLE recall_owners ADD COLUMN changes bigint NOT NULL
    DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

CREATE FUNCTION note_removed_entries() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    new.changes := old.changes + 1;
    RETURN new;
END $$;
CREATE TRIGGER note_removed BEFORE UPDATE ON recall_owners
    FOR EACH ROW WHEN (new.entries < old.entries)
    EXECUTE FUNCTION note_removed_entries();

CREATE FUNCTION note_changed_entries() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE recall_owners SET changes = changes + 1
    WHERE owner_id IN (SELECT owner_id FROM changed);
    RETURN NULL;
END $$;
CREATE TRIGGER note_changed AFTER UPDATE ON recall_entries
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_changed_entries();
