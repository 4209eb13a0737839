-- What recall finds entries by: vectors and words, and functions that keep them in step.

-- pgvector may be in any schema; a managed server often has one for extensions.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN
        CREATE EXTENSION vector WITH SCHEMA public;
    END IF;
END $$;
SELECT set_config(
    'search_path', 'recollect, ' || quote_ident(extnamespace::regnamespace::text), true
)
FROM pg_extension
WHERE extname = 'vector';

-- One exchange, or one message of a plain log. What a search compares comes first: the columns
-- after it are not looked at for the thousands of entries that are not shown.
CREATE TABLE recall_entries (
    owner_id      uuid NOT NULL,
    session_id    uuid NOT NULL,
    sequence      bigint NOT NULL,  -- of its first message
    last_sequence bigint NOT NULL,
    turn_number   bigint NOT NULL,
    said_at       timestamptz NOT NULL,
    number        integer NOT NULL,  -- within its owner, short enough for lists of words
    length        integer NOT NULL,  -- in words
    model_key     integer,  -- stands for the model and the length of its vectors
    vector        halfvec,
    model         text,
    bits          varbit,  -- the binary-quantised vector, a sixteenth of its size
    speaker       text,
    tables        text[] NOT NULL,
    message_ids   uuid[] NOT NULL,
    text          text NOT NULL,
    kept_in       text,  -- another store that may have a copy, by its number
    terms         integer[] NOT NULL,  -- the words as numbers, and how often each occurs
    counts        smallint[] NOT NULL,
    PRIMARY KEY (owner_id, session_id, sequence) INCLUDE (number),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE,
    CHECK (cardinality(terms) = cardinality(counts)),
    CHECK (num_nulls(model_key, model) IN (0, 2)),
    CHECK (num_nulls(vector, bits) IN (0, 2)),
    CHECK (CASE WHEN model IS NULL THEN vector IS NULL ELSE num_nonnulls(vector, kept_in) > 0 END)
);

ALTER TABLE recall_entries ALTER COLUMN bits SET STORAGE PLAIN;

-- No entry is looked up by these, and to analyse them took four fifths of the time of the table.
ALTER TABLE recall_entries
    ALTER COLUMN vector SET STATISTICS 0,
    ALTER COLUMN bits SET STATISTICS 0,
    ALTER COLUMN text SET STATISTICS 0,
    ALTER COLUMN terms SET STATISTICS 0,
    ALTER COLUMN counts SET STATISTICS 0;

-- An owner's entries side by side, with what the first pass of a search compares: eighty to the
-- page, where the table has five and those of all owners mixed. Columns of a fixed width come
-- first, and bits are stored plain: both save time on every entry.
CREATE UNIQUE INDEX recall_by_number ON recall_entries (owner_id, number)
    INCLUDE (model_key, said_at, bits);

-- Who speaks in an owner's logs; most owners have none.
CREATE INDEX recall_by_speaker ON recall_entries (owner_id, speaker) WHERE speaker IS NOT NULL;

-- Which entries of an owner say a word, and how often: all that BM25 wants to know.
CREATE TABLE recall_words (
    owner_id uuid NOT NULL,
    term     integer NOT NULL,
    number   integer NOT NULL,
    count    smallint NOT NULL,
    length   integer NOT NULL,
    PRIMARY KEY (owner_id, term, number) INCLUDE (count, length)
);

-- How much there is of an owner; its row is also what writers of one owner queue up at. Added entries
-- have higher numbers than the last, every other change is counted in `changes`, so that a cache
-- can tell what it lacks. The count starts with the time: an owner who was erased and came back is
-- never taken for what was there before.
CREATE TABLE recall_owners (
    owner_id    uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    entries     bigint NOT NULL,
    length      bigint NOT NULL,  -- of all entries together
    last_number integer NOT NULL,
    changes     bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
) WITH (fillfactor = 50);

-- How many entries of an owner which model has embedded; '' has none.
CREATE TABLE recall_models (
    owner_id uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    model    text NOT NULL,
    entries  bigint NOT NULL,
    PRIMARY KEY (owner_id, model)
) WITH (fillfactor = 50);
CREATE INDEX recall_models_by_name ON recall_models (model);

-- Entries that are gone here, and still have to go where they were copied to.
CREATE TABLE recall_removals (
    owner_id   uuid NOT NULL,
    removal_id bigint GENERATED ALWAYS AS IDENTITY,
    kept_in    text NOT NULL,
    session_id uuid NOT NULL,
    number     integer NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, removal_id)
);
CREATE INDEX recall_removals_by_store ON recall_removals (kept_in, removal_id);

-- Words and counts follow the entries by themselves, whichever statement changes those. The
-- owner's row comes first, so that two writers never wait for each other in a circle.
CREATE FUNCTION count_added_entries() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO recall_owners (owner_id, entries, length, last_number)
    SELECT owner_id, count(*), sum(length), max(number) FROM added
    GROUP BY owner_id ORDER BY owner_id
    ON CONFLICT (owner_id) DO UPDATE
    SET entries = recall_owners.entries + excluded.entries,
        length = recall_owners.length + excluded.length,
        last_number = greatest(recall_owners.last_number, excluded.last_number);
    INSERT INTO recall_models (owner_id, model, entries)
    SELECT owner_id, coalesce(model, ''), count(*) FROM added
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (owner_id, model) DO UPDATE
    SET entries = recall_models.entries + excluded.entries;
    INSERT INTO recall_words (owner_id, term, number, count, length)
    SELECT added.owner_id, word.term, added.number, word.count, added.length
    FROM added
    CROSS JOIN LATERAL unnest(added.terms, added.counts) AS word (term, count)
    ORDER BY added.owner_id, word.term, added.number;
    RETURN NULL;
END $$;

-- The clean-up deletes for many owners and names none: each is named here while its turn lasts.
CREATE FUNCTION count_removed_entries() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    named text := current_setting('recollect.owner_id', true);
    gone  record;
BEGIN
    FOR gone IN
        SELECT owner_id, count(*) AS entries, sum(length) AS length FROM removed
        GROUP BY owner_id ORDER BY owner_id
    LOOP
        PERFORM set_config('recollect.owner_id', gone.owner_id::text, true);
        UPDATE recall_owners
        SET entries = entries - gone.entries, length = length - gone.length
        WHERE owner_id = gone.owner_id;
        UPDATE recall_models AS embedded
        SET entries = embedded.entries - fewer.entries
        FROM (
            SELECT coalesce(model, '') AS model, count(*) AS entries FROM removed
            WHERE owner_id = gone.owner_id
            GROUP BY 1
        ) AS fewer
        WHERE embedded.owner_id = gone.owner_id AND embedded.model = fewer.model;
        DELETE FROM recall_models WHERE owner_id = gone.owner_id AND entries = 0;
        DELETE FROM recall_words AS word
        USING removed
        CROSS JOIN LATERAL unnest(removed.terms) AS own (term)
        WHERE removed.owner_id = gone.owner_id
          AND word.owner_id = gone.owner_id
          AND word.term = own.term
          AND word.number = removed.number;
        INSERT INTO recall_removals (owner_id, kept_in, session_id, number)
        SELECT owner_id, kept_in, session_id, number FROM removed
        WHERE owner_id = gone.owner_id AND kept_in IS NOT NULL;
    END LOOP;
    PERFORM set_config('recollect.owner_id', coalesce(named, ''), true);
    RETURN NULL;
END $$;

-- Only the vector of an entry may change, not its text.
CREATE FUNCTION count_embedded_entries() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO recall_models (owner_id, model, entries)
    SELECT owner_id, model, sum(change) FROM (
        SELECT owner_id, coalesce(model, '') AS model, 1 AS change FROM added
        UNION ALL
        SELECT owner_id, coalesce(model, ''), -1 FROM removed
    ) AS changes
    GROUP BY owner_id, model
    HAVING sum(change) <> 0
    ORDER BY owner_id, model
    ON CONFLICT (owner_id, model) DO UPDATE
    SET entries = recall_models.entries + excluded.entries;
    DELETE FROM recall_models
    WHERE entries = 0 AND owner_id IN (SELECT owner_id FROM removed);
    INSERT INTO recall_removals (owner_id, kept_in, session_id, number)
    SELECT removed.owner_id, removed.kept_in, removed.session_id, removed.number
    FROM removed JOIN added ON added.owner_id = removed.owner_id AND added.number = removed.number
    WHERE removed.kept_in IS NOT NULL AND added.kept_in IS DISTINCT FROM removed.kept_in;
    RETURN NULL;
END $$;

CREATE TRIGGER count_added AFTER INSERT ON recall_entries
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_added_entries();
CREATE TRIGGER count_removed AFTER DELETE ON recall_entries
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_removed_entries();
CREATE TRIGGER count_embedded AFTER UPDATE ON recall_entries
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_embedded_entries();

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

CREATE FUNCTION replace_entries(
    of_owner uuid, of_session uuid, of_turns bigint[], given json, store text, at_time timestamptz
) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    IF hold_sessions(of_owner, ARRAY[of_session], at_time) IS NULL THEN
        RETURN;
    END IF;
    -- Writers of the owner's entries queue up here, after the session, never in a circle.
    INSERT INTO recall_owners (owner_id, entries, length, last_number)
    VALUES (of_owner, 0, 0, json_array_length(given))
    ON CONFLICT (owner_id) DO UPDATE
    SET last_number = recall_owners.last_number + excluded.last_number
    RETURNING last_number - json_array_length(given) INTO last;
    DELETE FROM recall_entries
    WHERE owner_id = of_owner AND session_id = of_session AND turn_number = ANY(of_turns);
    -- Only entries whose messages are all there.
    INSERT INTO recall_entries (
        owner_id, session_id, sequence, last_sequence, turn_number, said_at, number, length,
        model_key, vector, model, bits, speaker, tables, message_ids, text, kept_in, terms,
        counts
    )
    SELECT
        of_owner, of_session, entry.sequence, there.last_sequence, entry.turn_number,
        entry.said_at, last + row_number() OVER (ORDER BY entry.sequence), entry.length,
        entry.model_key, parsed.vector, entry.model,
        binary_quantize(parsed.vector), entry.speaker, entry.tables, entry.message_ids,
        entry.text, store, entry.terms, entry.counts
    FROM json_to_recordset(given) AS entry (
        sequence bigint, turn_number bigint, said_at timestamptz, length integer,
        model_key integer, vector text, model text, speaker text, tables text[],
        message_ids uuid[], text text, terms integer[], counts smallint[]
    )
    CROSS JOIN LATERAL (SELECT entry.vector::halfvec AS vector OFFSET 0) AS parsed  -- once
    CROSS JOIN LATERAL (
        SELECT count(*) AS messages, max(message.sequence) AS last_sequence
        FROM messages AS message
        WHERE message.owner_id = of_owner
          AND message.session_id = of_session
          AND message.message_id = ANY(entry.message_ids)
          AND message.is_active
    ) AS there
    WHERE there.messages = cardinality(entry.message_ids);
END $$;

CREATE FUNCTION embed_entries(
    of_owner uuid, of_sessions uuid[], of_model text, given json, at_time timestamptz
) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    there uuid[];
BEGIN
    there := hold_sessions(of_owner, of_sessions, at_time);
    IF there IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO recall_owners (owner_id, entries, length, last_number)
    VALUES (of_owner, 0, 0, 0)
    ON CONFLICT (owner_id) DO UPDATE SET last_number = recall_owners.last_number;
    -- Only entries that still say what was embedded.
    UPDATE recall_entries AS entry
    SET vector = embedded.vector::halfvec,
        bits = binary_quantize(embedded.vector::halfvec),
        model = of_model,
        model_key = embedded.model_key,
        kept_in = NULL
    FROM json_to_recordset(given) AS embedded (
        session_id uuid, sequence bigint, message_ids uuid[], texts text[], vector text,
        model_key integer
    )
    WHERE entry.owner_id = of_owner
      AND entry.session_id = ANY(there)
      AND entry.session_id = embedded.session_id
      AND entry.sequence = embedded.sequence
      AND entry.message_ids = embedded.message_ids
      AND entry.text = ANY(embedded.texts);
END $$;
