-- Sessions, turns, messages and summaries.

-- Free JSON is kept as 'json': 'jsonb' would return 1e17 as an integer.
-- Each append updates the counters; a fifth of every page left free keeps that update on the page.
CREATE TABLE sessions (
    owner_id           uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    session_id         uuid NOT NULL,
    name               text,
    metadata           json NOT NULL,
    databases          text[] NOT NULL,
    tags               text[] NOT NULL,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    last_accessed_at   timestamptz NOT NULL,
    expires_at         timestamptz,
    message_count      bigint NOT NULL DEFAULT 0 CHECK (message_count >= 0),  -- of the active branch
    turn_count         bigint NOT NULL DEFAULT 0 CHECK (turn_count >= 0),  -- of the active branch
    last_sequence      bigint NOT NULL DEFAULT 0,
    last_turn          bigint NOT NULL DEFAULT 0,
    current_turn       bigint,  -- the latest turn still there: what a reply belongs to
    summarized_through bigint NOT NULL DEFAULT 0,  -- the last sequence that the summary covers
    summarized_count   bigint NOT NULL DEFAULT 0,
    inactive_count     bigint NOT NULL DEFAULT 0,  -- messages outside the active branch
    name_turn          bigint,  -- the turn whose question gave the name; NULL for a given name
    PRIMARY KEY (owner_id, session_id)
) WITH (fillfactor = 80);

-- What has expired, for the clean-up; sessions without an end are not in it.
CREATE INDEX sessions_by_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- A turn that has changed since it was indexed has the transaction that changed it last in
-- index_due, so that the worker can tell whether it changed again while it was indexed. Once that
-- change is also in index_done, it is indexed and waits to be learnt from.
CREATE TABLE turns (
    owner_id        uuid NOT NULL,
    session_id      uuid NOT NULL,
    turn_number     bigint NOT NULL,
    status          text NOT NULL CHECK (status IN ('pending', 'complete', 'failed')),
    started_at      timestamptz NOT NULL,
    completed_at    timestamptz,
    index_due       bigint DEFAULT pg_current_xact_id()::text::bigint,
    index_done      bigint,
    learnt          bigint,  -- a change that needs no learning: its facts came with it in an import
    -- The sequence of the message that the turn follows, 0 for none; NULL for the end of the
    -- active branch before it: nothing is written as long as nobody leaves a branch.
    parent_sequence bigint,
    PRIMARY KEY (owner_id, session_id, turn_number),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE
);
CREATE INDEX turns_due ON turns ((index_done IS NOT DISTINCT FROM index_due), owner_id, session_id)
    WHERE index_due IS NOT NULL;

-- Open turns alone: a worker looks every minute for those of servers that were killed.
CREATE INDEX turns_pending ON turns (owner_id, started_at) WHERE status = 'pending';

CREATE TABLE messages (
    owner_id    uuid NOT NULL,
    session_id  uuid NOT NULL,
    sequence    bigint NOT NULL CHECK (sequence > 0),
    message_id  uuid NOT NULL,
    turn_number bigint,
    role        text NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
    content     text NOT NULL,
    metadata    json NOT NULL,
    details     json,  -- what only an assistant's message has: sql_query, tables_used, model, …
    created_at  timestamptz NOT NULL,
    is_active   boolean NOT NULL DEFAULT true,  -- on the branch that windows are made of
    PRIMARY KEY (owner_id, session_id, sequence),
    UNIQUE (owner_id, message_id),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE,
    FOREIGN KEY (owner_id, session_id, turn_number) REFERENCES turns ON DELETE CASCADE
);

-- A user's history across sessions, in order of time.
CREATE INDEX messages_by_time ON messages (owner_id, created_at, session_id, sequence);

-- Finding the messages of a turn, when one of them or the turn goes.
CREATE INDEX messages_by_turn ON messages (owner_id, session_id, turn_number);

-- One summary a session: it stands for everything from first_sequence to last_sequence. Its text
-- stays out of the session's row, which every append rewrites.
CREATE TABLE summaries (
    owner_id       uuid NOT NULL,
    session_id     uuid NOT NULL,
    first_sequence bigint NOT NULL,
    last_sequence  bigint NOT NULL CHECK (last_sequence >= first_sequence),
    text           text NOT NULL,
    tables         text[] NOT NULL,  -- the tables that the text draws on, for permissions
    method         text NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (owner_id, session_id),
    FOREIGN KEY (owner_id, session_id) REFERENCES sessions ON DELETE CASCADE
);

-- The turn of a message on the active branch, as it is now, and not as it was when the statement
-- began: one that stores a reply waits for the session first, and what it waited for may have
-- switched to another branch. That is why it is volatile, and a function at all.
CREATE FUNCTION turn_answered(owner uuid, session uuid, message uuid) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    answered bigint;
BEGIN
    -- Found by its id first: by the session, all its messages would be read.
    SELECT there.turn_number INTO answered
    FROM (SELECT * FROM recollect.messages WHERE owner_id = owner AND message_id = message OFFSET 0) AS there
    WHERE there.session_id = session AND there.is_active;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such message on the active branch' USING ERRCODE = 'RC404';
    END IF;
    RETURN answered;
END
$$;

-- Background work changes a session in one round trip each: a request that waits for the session
-- waits for the database alone, never for a worker that the processor is busy without. They are
-- functions, so that each statement sees what the ones before it waited for. Every statement
-- names the owner.

-- Sets the owner for the rest of the transaction and locks sessions against writers, always in the
-- same order; returns those that exist and have not expired, or NULL.
CREATE FUNCTION hold_sessions(of_owner uuid, of_sessions uuid[], at_time timestamptz)
    RETURNS uuid[]
    LANGUAGE plpgsql AS $$
DECLARE
    there uuid[];
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    SELECT array_agg(session_id) INTO there
    FROM (
        SELECT session_id FROM sessions
        WHERE owner_id = of_owner
          AND session_id = ANY(of_sessions)
          AND (expires_at IS NULL OR expires_at > at_time)
        ORDER BY session_id
        FOR NO KEY UPDATE
    ) AS held;
    RETURN there;
END $$;

CREATE FUNCTION put_summary(
    of_owner uuid, of_session uuid, replaced bigint, added bigint, first bigint, last bigint,
    told text, drawn_on text[], made_by text, made_at timestamptz, at_time timestamptz
) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    IF hold_sessions(of_owner, ARRAY[of_session], at_time) IS NULL THEN
        RETURN false;
    END IF;
    IF added <> (
        SELECT count(*) FROM messages
        WHERE owner_id = of_owner
          AND session_id = of_session
          AND sequence > replaced
          AND sequence <= last
          AND is_active
    ) THEN
        RETURN false;
    END IF;
    UPDATE sessions
    SET summarized_through = last, summarized_count = summarized_count + added
    WHERE owner_id = of_owner AND session_id = of_session AND summarized_through = replaced;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO summaries (
        owner_id, session_id, first_sequence, last_sequence, text, tables, method, created_at
    )
    VALUES (of_owner, of_session, first, last, told, drawn_on, made_by, made_at)
    ON CONFLICT (owner_id, session_id) DO UPDATE
    SET first_sequence = excluded.first_sequence,
        last_sequence = excluded.last_sequence,
        text = excluded.text,
        tables = excluded.tables,
        method = excluded.method,
        created_at = excluded.created_at;
    RETURN true;
END $$;

-- Pages, exports and imports go through a session of a million messages in its order. Without
-- statistics, as after an import, the planner takes messages_by_turn for as good as the primary key,
-- reads all of the session through it, and sorts: 55 ms instead of 2 where it has 20,000. That is why
-- sorting is off here. The functions are stable: they see what their statements see.

-- Messages of some sessions, in the order of these, from a number of the first one on, until there
-- are enough of them or they have enough bytes; JSON counts four times, it may be stored compressed.
CREATE FUNCTION export_messages(
    of_owner uuid, of_sessions uuid[], after_first bigint, most integer, most_bytes bigint
) RETURNS SETOF messages
    LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_incremental_sort = off AS $$
DECLARE
    one     uuid;
    message messages;
    after   bigint := after_first;
    missing integer := most;
    bytes   bigint := 0;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    FOREACH one IN ARRAY of_sessions LOOP
        FOR message IN
            SELECT * FROM messages
            WHERE owner_id = of_owner AND session_id = one AND sequence > after
            ORDER BY sequence
            LIMIT missing
        LOOP
            RETURN NEXT message;
            missing := missing - 1;
            bytes := bytes + octet_length(message.content) + 4 * (
                pg_column_size(message.metadata) + coalesce(pg_column_size(message.details), 0)
            );
            IF missing <= 0 OR bytes >= most_bytes THEN
                RETURN;
            END IF;
        END LOOP;
        after := 0;
    END LOOP;
END $$;

-- A page of a session's messages from a number on, in either order; none of a session that is gone.
CREATE FUNCTION list_messages(
    of_owner uuid, of_session uuid, newest_first boolean, after_number bigint, has_inactive boolean,
    most integer, skipped integer, at_time timestamptz
) RETURNS SETOF messages
    LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_incremental_sort = off AS $$
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    PERFORM FROM sessions
    WHERE owner_id = of_owner
      AND session_id = of_session
      AND (expires_at IS NULL OR expires_at > at_time);
    IF NOT FOUND THEN
        RETURN;
    ELSIF newest_first THEN
        RETURN QUERY
        SELECT * FROM messages
        WHERE owner_id = of_owner
          AND session_id = of_session
          AND sequence < coalesce(after_number, 9223372036854775807)
          AND (is_active OR has_inactive)
        ORDER BY sequence DESC
        LIMIT most OFFSET skipped;
    ELSE
        RETURN QUERY
        SELECT * FROM messages
        WHERE owner_id = of_owner
          AND session_id = of_session
          AND sequence > coalesce(after_number, 0)
          AND (is_active OR has_inactive)
        ORDER BY sequence
        LIMIT most OFFSET skipped;
    END IF;
END $$;

-- The owner's messages that have one of these ids, or one of these places.
CREATE FUNCTION taken_places(
    of_owner uuid, of_ids uuid[], of_sessions uuid[], of_sequences bigint[]
) RETURNS TABLE (message_id uuid, session_id uuid, sequence bigint)
    LANGUAGE plpgsql STABLE SET enable_sort = off SET enable_incremental_sort = off AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    RETURN QUERY
    SELECT own.message_id, own.session_id, own.sequence FROM messages AS own
    WHERE own.owner_id = of_owner AND own.message_id = ANY(of_ids);
    FOR place IN 1 .. cardinality(of_sessions) LOOP
        RETURN QUERY
        SELECT own.message_id, own.session_id, own.sequence FROM messages AS own
        WHERE own.owner_id = of_owner
          AND own.session_id = of_sessions[place]
          AND own.sequence BETWEEN of_sequences[place] AND of_sequences[place]
        ORDER BY own.sequence
        LIMIT 1;
    END LOOP;
END $$;
