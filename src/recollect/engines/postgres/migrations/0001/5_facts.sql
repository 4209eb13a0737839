-- Facts about users with the history of their changes, and functions that change them as one.

-- No reference to sessions or messages: facts outlive the conversations they were learnt from.
-- Each use in a context updates a row; a fifth of every page left free keeps that on the page.
CREATE TABLE facts (
    owner_id      uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    fact_id       uuid NOT NULL,
    version       integer NOT NULL CHECK (version > 0),
    type          text NOT NULL CHECK (
        type IN ('fact', 'preference', 'context', 'procedure', 'entity', 'relationship')
    ),
    priority      text NOT NULL CHECK (priority IN ('critical', 'high', 'medium', 'low')),
    status        text NOT NULL CHECK (status IN ('active', 'superseded', 'retracted', 'pruned')),
    source        text NOT NULL CHECK (source IN ('extracted', 'stated', 'api')),
    confidence    double precision NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    accessed_at   timestamptz NOT NULL,
    access_count  bigint NOT NULL CHECK (access_count >= 0),
    valid_from    timestamptz NOT NULL,
    valid_to      timestamptz,
    slot          text,
    has_one_value boolean NOT NULL,  -- whether the slot has one value at a time
    gist          uuid,  -- stands for the words: a hash, because a gist may be long for an index
    language      text,
    content       text NOT NULL,
    session_id    uuid,  -- with the next three columns: the evidence
    message_id    uuid,
    turn_number   bigint,
    quote         text,
    tables        text[] NOT NULL,  -- that the answer of its turn uses, for permissions
    searched      text NOT NULL,  -- content and quote without case, which a list is filtered by
    model         text,
    vector        halfvec,
    PRIMARY KEY (owner_id, fact_id),
    CHECK (num_nulls(session_id, message_id, quote) IN (0, 3)),
    CHECK (num_nulls(model, vector) IN (0, 2))
) WITH (fillfactor = 80);

-- Of two workers that learn the same at once, one fails.
CREATE UNIQUE INDEX facts_by_gist ON facts (owner_id, gist) WHERE status = 'active';
CREATE UNIQUE INDEX facts_by_slot ON facts (owner_id, slot)
    WHERE status = 'active' AND has_one_value;
-- A page of the newest. Nothing moves that time, so the index costs an insert and no access.
CREATE INDEX facts_by_time ON facts (owner_id, created_at, fact_id);

CREATE TABLE fact_changes (
    owner_id       uuid NOT NULL,
    fact_id        uuid NOT NULL,
    version        integer NOT NULL,  -- that the change made
    kind           text NOT NULL,
    at             timestamptz NOT NULL,
    actor          text NOT NULL,
    content        text NOT NULL,
    status         text NOT NULL,
    reason         text,
    message_id     uuid,
    statement      text,
    statement_gist uuid,  -- stands for the statement, as `gist` for the words of a fact
    PRIMARY KEY (owner_id, fact_id, version),
    FOREIGN KEY (owner_id, fact_id) REFERENCES facts ON DELETE CASCADE,
    CHECK (num_nulls(statement, statement_gist) IN (0, 2))
);

-- What a message says is learnt once, however often it is read.
CREATE UNIQUE INDEX fact_changes_by_statement ON fact_changes (owner_id, message_id, statement_gist)
    WHERE message_id IS NOT NULL AND statement_gist IS NOT NULL;

-- Which models have embedded the active facts of an owner; '' stands for none. A worker finds by it
-- whose facts there are and whose are to be embedded, and sees no fact.
CREATE TABLE fact_models (
    owner_id uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    model    text NOT NULL,
    PRIMARY KEY (owner_id, model)
);
CREATE INDEX fact_models_by_name ON fact_models (model);

-- As with sessions, each change is one round trip, every statement of a function sees what the ones
-- before it waited for, and every statement names the owner.

-- Sets the owner for the rest of the transaction and lets those who change an owner's facts queue
-- up, at the owner's row. Those who count accesses share it, and wait while facts change: a fact
-- that says the same again would wait for a counted one, which might wait for another in turn.
CREATE FUNCTION hold_facts(of_owner uuid) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    PERFORM FROM owners WHERE owner_id = of_owner FOR NO KEY UPDATE;
END $$;

-- For those who hold the owner's facts and have changed some.
CREATE FUNCTION note_fact_models(of_owner uuid) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    models text[];
BEGIN
    SELECT array_agg(DISTINCT coalesce(model, '')) INTO models
    FROM facts
    WHERE owner_id = of_owner AND status = 'active';
    DELETE FROM fact_models
    WHERE owner_id = of_owner AND model <> ALL(coalesce(models, '{}'));
    INSERT INTO fact_models (owner_id, model)
    SELECT of_owner, named.model FROM unnest(models) AS named (model)
    ON CONFLICT (owner_id, model) DO NOTHING;
END $$;

-- What is learnt from a message is stored only as long as that message is there: it may have been
-- erased while a model was reading it.
CREATE FUNCTION commit_facts(
    of_owner uuid, of_tenant text, of_user text, of_facts uuid[], given json, changes json,
    learnt_from uuid, at_time timestamptz
) RETURNS boolean
    LANGUAGE plpgsql AS $$
DECLARE
    stored bigint;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    IF learnt_from IS NULL THEN
        INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
        VALUES (of_owner, of_tenant, of_user, at_time)
        ON CONFLICT DO NOTHING;
    END IF;
    PERFORM hold_facts(of_owner);
    IF learnt_from IS NOT NULL AND NOT EXISTS (
        SELECT FROM messages AS message
        JOIN sessions AS session
            ON session.owner_id = of_owner AND session.session_id = message.session_id
        WHERE message.owner_id = of_owner
          AND message.message_id = learnt_from
          AND (session.expires_at IS NULL OR session.expires_at > '-infinity')
    ) THEN
        RETURN false;
    END IF;
    BEGIN
        -- Until all have changed, none claims words or a slot: two may exchange them.
        UPDATE facts SET gist = NULL, has_one_value = false
        WHERE owner_id = of_owner AND fact_id = ANY(of_facts);
        INSERT INTO facts AS known (
            owner_id, fact_id, version, type, priority, status, source, confidence, created_at,
            updated_at, accessed_at, access_count, valid_from, valid_to, slot, has_one_value, gist,
            language, content, session_id, message_id, turn_number, quote, tables,
            searched, model, vector
        )
        SELECT
            of_owner, edit.fact_id, edit.version, edit.type, edit.priority, edit.status,
            edit.source, edit.confidence, edit.created_at, edit.updated_at, edit.accessed_at,
            edit.access_count, edit.valid_from, edit.valid_to, edit.slot, edit.has_one_value,
            edit.gist, edit.language, edit.content, edit.session_id, edit.message_id,
            edit.turn_number, edit.quote, edit.tables, edit.searched, edit.model, edit.vector::halfvec
        FROM json_to_recordset(given) AS edit (
            fact_id uuid, version integer, type text, priority text, status text, source text,
            confidence double precision, created_at timestamptz, updated_at timestamptz,
            accessed_at timestamptz, access_count bigint, valid_from timestamptz,
            valid_to timestamptz, slot text, has_one_value boolean, gist uuid, language text,
            content text, session_id uuid, message_id uuid, turn_number bigint, quote text,
            tables text[], searched text, model text, vector text
        )
        WHERE edit.version = 1
           OR edit.fact_id IN (
            SELECT fact_id FROM facts WHERE owner_id = of_owner AND fact_id = ANY(of_facts)
           )
        ON CONFLICT (owner_id, fact_id) DO UPDATE
        SET version = excluded.version,
            type = excluded.type,
            priority = excluded.priority,
            status = excluded.status,
            source = excluded.source,
            confidence = excluded.confidence,
            updated_at = excluded.updated_at,
            -- Accesses that were counted since the fact was read stay.
            accessed_at = greatest(known.accessed_at, excluded.accessed_at),
            access_count = greatest(known.access_count, excluded.access_count),
            valid_from = excluded.valid_from,
            valid_to = excluded.valid_to,
            slot = excluded.slot,
            has_one_value = excluded.has_one_value,
            gist = excluded.gist,
            language = excluded.language,
            content = excluded.content,
            session_id = excluded.session_id,
            message_id = excluded.message_id,
            turn_number = excluded.turn_number,
            quote = excluded.quote,
            tables = excluded.tables,
            searched = excluded.searched,
            -- A vector stays as long as what it was made of.
            model = CASE
                WHEN excluded.model IS NULL AND excluded.content = known.content THEN known.model
                ELSE excluded.model
            END,
            vector = CASE
                WHEN excluded.model IS NULL AND excluded.content = known.content THEN known.vector
                ELSE excluded.vector
            END
        WHERE known.version = excluded.version - 1;
        GET DIAGNOSTICS stored = ROW_COUNT;
        IF stored <> json_array_length(given) THEN
            RAISE EXCEPTION 'a fact has changed meanwhile' USING ERRCODE = 'RC409';
        END IF;
        INSERT INTO fact_changes (
            owner_id, fact_id, version, kind, at, actor, content, status, reason, message_id,
            statement, statement_gist
        )
        SELECT of_owner, change.*
        FROM json_to_recordset(changes) AS change (
            fact_id uuid, version integer, kind text, at timestamptz, actor text, content text,
            status text, reason text, message_id uuid, statement text, statement_gist uuid
        );
    -- A cardinality violation: one fact is given twice.
    EXCEPTION WHEN unique_violation OR cardinality_violation OR SQLSTATE 'RC409' THEN
        RETURN false;
    END;
    PERFORM note_fact_models(of_owner);
    RETURN true;
END $$;

-- Facts of another memory with their whole history; returns the ids of those that are stored. One whose
-- id, words or slot an active fact has is not.
CREATE FUNCTION import_facts(
    of_owner uuid, of_tenant text, of_user text, given json, changes json, at_time timestamptz
) RETURNS uuid[]
    LANGUAGE plpgsql AS $$
DECLARE
    added uuid[];
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
    VALUES (of_owner, of_tenant, of_user, at_time)
    ON CONFLICT DO NOTHING;
    PERFORM hold_facts(of_owner);
    WITH stored AS (
        INSERT INTO facts (
            owner_id, fact_id, version, type, priority, status, source, confidence, created_at,
            updated_at, accessed_at, access_count, valid_from, valid_to, slot, has_one_value, gist,
            language, content, session_id, message_id, turn_number, quote, tables, searched
        )
        SELECT of_owner, fact.*
        FROM json_to_recordset(given) AS fact (
            fact_id uuid, version integer, type text, priority text, status text, source text,
            confidence double precision, created_at timestamptz, updated_at timestamptz,
            accessed_at timestamptz, access_count bigint, valid_from timestamptz,
            valid_to timestamptz, slot text, has_one_value boolean, gist uuid, language text,
            content text, session_id uuid, message_id uuid, turn_number bigint, quote text,
            tables text[], searched text
        )
        ON CONFLICT DO NOTHING
        RETURNING fact_id
    )
    SELECT coalesce(array_agg(fact_id), '{}') INTO added FROM stored;
    INSERT INTO fact_changes (
        owner_id, fact_id, version, kind, at, actor, content, status, reason, message_id,
        statement, statement_gist
    )
    SELECT of_owner, change.*
    FROM json_to_recordset(changes) AS change (
        fact_id uuid, version integer, kind text, at timestamptz, actor text, content text,
        status text, reason text, message_id uuid, statement text, statement_gist uuid
    )
    WHERE change.fact_id = ANY(added)
    ON CONFLICT DO NOTHING;
    PERFORM note_fact_models(of_owner);
    RETURN added;
END $$;

CREATE FUNCTION embed_facts(of_owner uuid, of_model text, given json) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM hold_facts(of_owner);
    -- Only facts that are still as they were embedded.
    UPDATE facts AS fact
    SET vector = embedded.vector::halfvec, model = of_model
    FROM json_to_recordset(given) AS embedded (fact_id uuid, version integer, vector text)
    WHERE fact.owner_id = of_owner
      AND fact.fact_id = embedded.fact_id
      AND fact.version = embedded.version;
    PERFORM note_fact_models(of_owner);
END $$;

CREATE FUNCTION delete_facts(of_owner uuid, of_facts uuid[]) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
BEGIN
    PERFORM hold_facts(of_owner);
    DELETE FROM facts
    WHERE owner_id = of_owner AND (of_facts IS NULL OR fact_id = ANY(of_facts));
    GET DIAGNOSTICS deleted = ROW_COUNT;
    PERFORM note_fact_models(of_owner);
    RETURN deleted;
END $$;

-- Waits for no disk: what a crash forgets is an access.
CREATE FUNCTION touch_facts(of_owner uuid, of_facts uuid[], at_time timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM FROM owners WHERE owner_id = of_owner FOR SHARE;
    UPDATE facts AS fact
    SET access_count = fact.access_count + 1, accessed_at = greatest(fact.accessed_at, at_time)
    FROM (
        SELECT fact_id FROM facts
        WHERE owner_id = of_owner AND fact_id = ANY(of_facts)
        ORDER BY fact_id  -- the same for all, so that none waits for another in a circle
        FOR NO KEY UPDATE
    ) AS held
    WHERE fact.owner_id = of_owner AND fact.fact_id = held.fact_id;
END $$;
