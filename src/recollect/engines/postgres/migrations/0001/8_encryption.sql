-- The data keys of owners, in a schema of their own: a logical backup can leave them out, or be kept
-- for a shorter time than the rest.

CREATE SCHEMA IF NOT EXISTS recollect_keys;

-- No reference to owners: the key goes after everything that it encrypts. A key that was destroyed
-- leaves its empty row for some seconds, while the owner is still being erased.
CREATE TABLE recollect_keys.owner_keys (
    owner_id      uuid PRIMARY KEY,
    wrapped       bytea NOT NULL,  -- the data key, encrypted by the master key
    master_key_id text NOT NULL,
    is_complete   boolean NOT NULL,  -- whether the words of all recall entries are keyed
    created_at    timestamptz NOT NULL,
    destroyed_at  timestamptz
);
CREATE INDEX owner_keys_by_master ON recollect_keys.owner_keys (master_key_id, owner_id);

CREATE TRIGGER refuse_while_erased BEFORE INSERT ON recollect_keys.owner_keys
    FOR EACH ROW EXECUTE FUNCTION refuse_while_erased();

-- Whether a text is stored encrypted; what is encrypted begins with the prefix of
-- `recollect.domain.privacy.encrypted`, and nothing else does.
CREATE FUNCTION is_encrypted(stored text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT starts_with(stored, 'recollect-encrypted:1:') $$;

-- Stores an owner's first key, and returns the one that is stored then. It sets the owner.
CREATE FUNCTION create_owner_key(of_owner uuid, new_key bytea, of_master text)
    RETURNS TABLE (wrapped bytea, master_key_id text, is_complete boolean)
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    INSERT INTO recollect_keys.owner_keys (owner_id, wrapped, master_key_id, is_complete, created_at)
    SELECT of_owner, new_key, of_master, NOT EXISTS (
        SELECT FROM recall_entries WHERE owner_id = of_owner
    ), now()
    ON CONFLICT (owner_id) DO NOTHING;
    RETURN QUERY
    SELECT own.wrapped, own.master_key_id, own.is_complete FROM recollect_keys.owner_keys AS own
    WHERE own.owner_id = of_owner;
END $$;

-- Destroys the key of an owner who is being erased, and counts it; its row goes once no process can
-- have the key cached any more. It sets the owner, and returns how many rows are left.
CREATE FUNCTION destroy_owner_key(of_owner uuid, of_erasure uuid, cached_for interval)
    RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    gone bigint;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    UPDATE recollect_keys.owner_keys SET wrapped = '', destroyed_at = clock_timestamp()
    WHERE owner_id = of_owner AND destroyed_at IS NULL;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'encryption', 'data_keys', gone);
    DELETE FROM recollect_keys.owner_keys
    WHERE owner_id = of_owner AND destroyed_at < clock_timestamp() - cached_for;
    RETURN (SELECT count(*) FROM recollect_keys.owner_keys WHERE owner_id = of_owner);
END $$;

-- Puts encrypted texts and keyed words into entries that are as they were read, and lets the list of
-- words follow: no trigger does, for elsewhere the words of an entry never change. It sets the owner.
CREATE FUNCTION encrypt_entries(of_owner uuid, given json) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    numbers integer[];
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    -- Writers of the owner's entries queue up here.
    PERFORM FROM recall_owners WHERE owner_id = of_owner FOR NO KEY UPDATE;
    SELECT array_agg(entry.number) INTO numbers
    FROM json_to_recordset(given) AS one (session_id uuid, sequence bigint, row_version text)
    JOIN recall_entries AS entry
        ON entry.session_id = one.session_id AND entry.sequence = one.sequence
    WHERE entry.owner_id = of_owner AND entry.xmin::text = one.row_version;
    DELETE FROM recall_words AS word
    USING recall_entries AS entry
    WHERE entry.owner_id = of_owner
      AND entry.number = ANY(numbers)
      AND word.owner_id = of_owner
      AND word.term = ANY(entry.terms)
      AND word.number = entry.number;
    UPDATE recall_entries AS entry
    SET text = one.text, terms = one.terms, counts = one.counts
    FROM json_to_recordset(given) AS one (
        session_id uuid, sequence bigint, text text, terms integer[], counts smallint[]
    )
    WHERE entry.owner_id = of_owner
      AND entry.number = ANY(numbers)
      AND entry.session_id = one.session_id
      AND entry.sequence = one.sequence;
    INSERT INTO recall_words (owner_id, term, number, count, length)
    SELECT of_owner, word.term, entry.number, word.count, entry.length
    FROM recall_entries AS entry
    CROSS JOIN LATERAL unnest(entry.terms, entry.counts) AS word (term, count)
    WHERE entry.owner_id = of_owner AND entry.number = ANY(numbers)
    ORDER BY word.term, entry.number;
END $$;
