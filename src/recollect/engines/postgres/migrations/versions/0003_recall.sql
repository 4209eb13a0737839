-- What recall finds entries by: vectors, words, and which turns still wait to be indexed.

-- Vectors may be installed in any schema; a managed server often has one for extensions.
CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
SELECT set_config(
    'search_path', 'recollect, ' || quote_ident(extnamespace::regnamespace::text), true
)
FROM pg_extension
WHERE extname = 'vector';

-- A turn that has changed since it was indexed bears the transaction that changed it last, so
-- that whoever indexes it can tell whether it changed again meanwhile. What was said before
-- there was an index waits as well.
ALTER TABLE turns ADD COLUMN index_due bigint DEFAULT 0;
ALTER TABLE turns ALTER COLUMN index_due SET DEFAULT pg_current_xact_id()::text::bigint;
CREATE INDEX turns_to_index ON turns (owner_id, session_id) WHERE index_due IS NOT NULL;

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
    bits          varbit,  -- the signs of the vector: near it, in a sixteenth of its size
    speaker       text,
    tables        text[] NOT NULL,
    message_ids   uuid[] NOT NULL,
    text          text NOT NULL,
    kept_in       text,  -- another store that may have a copy, by its number
    terms         integer[] NOT NULL,  -- the words, each as a number, and how often it is said
    counts        smallint[] NOT NULL,
    PRIMARY KEY (owner_id, session_id, sequence) INCLUDE (number),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE,
    CHECK (cardinality(terms) = cardinality(counts)),
    CHECK (num_nulls(model_key, model) IN (0, 2)),
    CHECK (num_nulls(vector, bits) IN (0, 2)),
    CHECK (CASE WHEN model IS NULL THEN vector IS NULL ELSE num_nonnulls(vector, kept_in) > 0 END)
);

ALTER TABLE recall_entries ALTER COLUMN bits SET STORAGE PLAIN;

-- An owner's entries side by side whoever else writes, with what the first pass of a search
-- compares: eighty to the page, where the table has five and those of all owners mixed. What
-- has a fixed width comes first, and bits are kept plain: both save time on every entry.
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

-- How much there is of an owner; its row is also what writers of one owner queue up at.
CREATE TABLE recall_owners (
    owner_id    uuid PRIMARY KEY REFERENCES owners ON DELETE CASCADE,
    entries     bigint NOT NULL,
    length      bigint NOT NULL,  -- of all entries together
    last_number integer NOT NULL
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

GRANT SELECT, INSERT, UPDATE, DELETE
    ON recall_entries, recall_words, recall_owners, recall_models, recall_removals
    TO recollect_app;

ALTER TABLE recall_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON recall_entries USING (owner_id = current_owner());
ALTER TABLE recall_words ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_words FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON recall_words USING (owner_id = current_owner());
ALTER TABLE recall_owners ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_owners FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON recall_owners USING (owner_id = current_owner());
ALTER TABLE recall_models ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_models FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON recall_models USING (owner_id = current_owner());
ALTER TABLE recall_removals ENABLE ROW LEVEL SECURITY;
ALTER TABLE recall_removals FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON recall_removals USING (owner_id = current_owner());

-- A worker finds what there is to do by ids and counts. Words, texts and vectors stay with their
-- owner: a second policy on them would also be evaluated for every row of a search.
CREATE POLICY worker_finds_due ON turns FOR SELECT
    USING (is_worker() AND index_due IS NOT NULL);
CREATE POLICY worker_names ON owners FOR SELECT USING (is_worker());
CREATE POLICY worker_counts ON recall_models FOR SELECT USING (is_worker());
CREATE POLICY worker_removes ON recall_removals USING (is_worker());

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
        CROSS JOIN LATERAL unnest(removed.terms) AS said (term)
        WHERE removed.owner_id = gone.owner_id
          AND word.owner_id = gone.owner_id
          AND word.term = said.term
          AND word.number = removed.number;
        INSERT INTO recall_removals (owner_id, kept_in, session_id, number)
        SELECT owner_id, kept_in, session_id, number FROM removed
        WHERE owner_id = gone.owner_id AND kept_in IS NOT NULL;
    END LOOP;
    PERFORM set_config('recollect.owner_id', coalesce(named, ''), true);
    RETURN NULL;
END $$;

-- Only what an entry is found by may change, not what it says.
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
