-- Erasures: requests to erase, how far they have come, and their receipts.

-- No reference to owners and no name: an erasure outlives everything else of its owner.
CREATE TABLE erasures (
    owner_id       uuid NOT NULL,  -- whose data it is; of a whole tenant, the tenant's own id
    erasure_id     uuid NOT NULL,
    tenant_id      text NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('everything', 'session', 'before', 'tenant')),
    session_id     uuid,
    before         timestamptz,
    part_of        uuid,  -- the erasure of the tenant that it belongs to
    requested_by   text NOT NULL,
    transaction_id text NOT NULL,
    requested_at   timestamptz NOT NULL,
    expected       bigint NOT NULL,  -- messages there were when it was requested
    state          text NOT NULL DEFAULT 'under_way' CHECK (state IN ('under_way', 'done')),
    counts         jsonb NOT NULL DEFAULT '{}',  -- what is erased, by place and kind
    next_at        timestamptz NOT NULL,  -- not before then it is carried on
    waits_for      text,  -- what could not be reached
    changed_at     timestamptz NOT NULL,  -- when it was requested, later when it was done
    receipt        json,
    PRIMARY KEY (owner_id, erasure_id),
    CHECK ((kind = 'session') = (session_id IS NOT NULL)),
    CHECK ((kind = 'before') = (before IS NOT NULL)),
    CHECK ((state = 'done') = (receipt IS NOT NULL))
);
CREATE INDEX erasures_open ON erasures (next_at) WHERE state = 'under_way';
CREATE INDEX erasures_by_change ON erasures (changed_at);
CREATE INDEX erasures_by_tenant ON erasures (part_of, owner_id) WHERE part_of IS NOT NULL;

-- What receipts are signed with where no key is set. It belongs to the system.
CREATE TABLE receipt_keys (
    owner_id   uuid PRIMARY KEY,
    key        bytea NOT NULL,
    created_at timestamptz NOT NULL
);

-- Which archives may have sessions of an owner, noted before the first is written there. A process
-- that does not reach one of them cannot finish an erasure.
CREATE TABLE archive_notes (
    owner_id uuid NOT NULL REFERENCES owners ON DELETE CASCADE,
    archive  text COLLATE "C" NOT NULL,  -- its address
    noted_at timestamptz NOT NULL,
    PRIMARY KEY (owner_id, archive)
);

-- Whoever is being erased stores nothing new. It waits for an erasure that begins at this moment,
-- and reads what that has decided.
CREATE FUNCTION refuse_while_erased() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    is_refused boolean;
BEGIN
    SELECT is_being_erased INTO is_refused FROM owners
    WHERE owner_id = new.owner_id
    FOR KEY SHARE;
    IF is_refused THEN
        RAISE EXCEPTION 'the owner is being erased' USING ERRCODE = 'RC423';
    END IF;
    RETURN new;
END $$;
CREATE TRIGGER refuse_while_erased BEFORE INSERT ON sessions
    FOR EACH ROW EXECUTE FUNCTION refuse_while_erased();
CREATE TRIGGER refuse_while_erased BEFORE INSERT ON facts
    FOR EACH ROW EXECUTE FUNCTION refuse_while_erased();
CREATE TRIGGER refuse_while_erased BEFORE INSERT ON profiles
    FOR EACH ROW EXECUTE FUNCTION refuse_while_erased();
CREATE TRIGGER refuse_while_erased BEFORE INSERT ON states
    FOR EACH ROW EXECUTE FUNCTION refuse_while_erased();

-- Every table with rows of owners, those that others refer to last. They come from the catalogue, so
-- that a new one is erased and verified from its first day. An erasure leaves the audit log, keys
-- and settings, which are the tenant's, and erasures themselves. The owner's row goes at the very end. What is
-- to go from another store or an archive goes when it has gone there.
CREATE FUNCTION tables_of_owners()
    RETURNS TABLE (name text, has_session boolean, is_erased boolean, is_verified boolean)
    LANGUAGE sql STABLE AS $$
    SELECT
        relation.relname::text,
        EXISTS (
            SELECT FROM pg_attribute AS part
            WHERE part.attrelid = relation.oid
              AND part.attname = 'session_id'
              AND NOT part.attisdropped
        ),
        relation.relname <> ALL(
            ARRAY[
                'audit', 'audit_chains', 'api_keys', 'tenant_settings', 'erasures', 'receipt_keys',
                'ended_visits', 'owners', 'recall_removals', 'archive_notes'
            ]
        ),
        relation.relname <> ALL(
            ARRAY[
                'audit', 'audit_chains', 'api_keys', 'tenant_settings', 'erasures', 'receipt_keys',
                'ended_visits', 'owners'
            ]
        )
    FROM pg_class AS relation
    JOIN pg_attribute AS owner
        ON owner.attrelid = relation.oid
        AND owner.attname = 'owner_id'
        AND NOT owner.attisdropped
    WHERE relation.relnamespace = 'recollect'::regnamespace AND relation.relkind IN ('r', 'p')
    ORDER BY array_position(
        ARRAY[
            'recall_entries', 'recall_words', 'messages', 'summaries', 'turns', 'sessions',
            'fact_changes', 'facts', 'fact_models', 'profile_values', 'profiles', 'states', 'jobs',
            'recall_models', 'recall_owners', 'recall_removals', 'archive_notes', 'owners'
        ],
        relation.relname::text
    ) NULLS FIRST
$$;

-- Adds to what an erasure has erased.
CREATE FUNCTION count_erased(
    of_owner uuid, of_erasure uuid, of_place text, of_kind text, number bigint
) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    IF number = 0 THEN
        RETURN;
    END IF;
    UPDATE erasures
    SET counts = counts || jsonb_build_object(
        of_place,
        coalesce(counts -> of_place, '{}') || jsonb_build_object(
            of_kind, coalesce((counts -> of_place ->> of_kind)::bigint, 0) + number
        )
    )
    WHERE owner_id = of_owner AND erasure_id = of_erasure;
END $$;

-- Deletes rows of a table, of the owner or of one session, and counts them in the same transaction.
CREATE FUNCTION erase_from(
    of_owner uuid, of_erasure uuid, name text, of_session uuid, most integer
) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    gone bigint;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    EXECUTE format(
        'DELETE FROM %1$I WHERE ctid = ANY(ARRAY('
        '    SELECT ctid FROM %1$I WHERE owner_id = $1 %2$s LIMIT $3'
        '))',
        name, CASE WHEN of_session IS NOT NULL THEN 'AND session_id = $2' END
    ) USING of_owner, of_session, most;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', name, gone);
    RETURN gone;
END $$;

-- Begins an erasure, and returns it, or the one of the same that is under way already; NULL if there
-- is no such session. From then on readers find nothing of what it erases, but for what was before a
-- time: that goes piece by piece. Sessions come first, as with those who write to them.
CREATE FUNCTION begin_erasure(
    of_owner uuid, of_tenant text, of_user text, new_erasure uuid, of_kind text, of_session uuid,
    before_time timestamptz, of_parent uuid, by_actor text, by_transaction text,
    at_time timestamptz
) RETURNS uuid
    LANGUAGE plpgsql AS $$
DECLARE
    hides    boolean := of_kind IN ('everything', 'session');
    existing uuid;
    there    bigint;
    gone     bigint;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    IF of_kind IN ('everything', 'tenant') THEN
        INSERT INTO owners (owner_id, tenant_id, user_id, created_at)
        VALUES (of_owner, of_tenant, of_user, at_time)
        ON CONFLICT DO NOTHING;
    END IF;
    IF hides THEN
        PERFORM FROM sessions
        WHERE owner_id = of_owner AND (of_session IS NULL OR session_id = of_session)
        ORDER BY session_id
        FOR NO KEY UPDATE;
    END IF;
    PERFORM FROM owners WHERE owner_id = of_owner FOR UPDATE;
    SELECT erasure_id INTO existing FROM erasures
    WHERE owner_id = of_owner
      AND state = 'under_way'
      AND kind = of_kind
      AND session_id IS NOT DISTINCT FROM of_session
      AND before IS NOT DISTINCT FROM before_time;
    IF FOUND THEN
        RETURN existing;
    END IF;
    PERFORM FROM owners WHERE owner_id = of_owner AND is_being_erased;
    IF FOUND THEN
        RAISE EXCEPTION 'the owner is being erased' USING ERRCODE = 'RC423';
    END IF;
    IF of_kind = 'before' THEN
        SELECT count(*) INTO there FROM messages
        WHERE owner_id = of_owner AND created_at < before_time;
    ELSE
        SELECT sum(message_count + inactive_count) INTO there FROM sessions
        WHERE owner_id = of_owner
          AND (
            of_session IS NULL
            OR session_id = of_session AND (expires_at IS NULL OR expires_at > at_time)
          );
        IF of_session IS NOT NULL AND there IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO erasures (
        owner_id, erasure_id, tenant_id, kind, session_id, before, part_of, requested_by,
        transaction_id, requested_at, expected, next_at, changed_at
    )
    VALUES (
        of_owner, new_erasure, of_tenant, of_kind, of_session, before_time, of_parent, by_actor,
        by_transaction, at_time, coalesce(there, 0), at_time, at_time
    );
    IF hides THEN
        UPDATE sessions SET expires_at = '-infinity'
        WHERE owner_id = of_owner AND (of_session IS NULL OR session_id = of_session);
    END IF;
    IF of_kind = 'everything' THEN
        UPDATE owners SET is_being_erased = true WHERE owner_id = of_owner;
        PERFORM erase_from(of_owner, new_erasure, erased.name, NULL, NULL)
        FROM unnest(ARRAY['fact_changes', 'facts', 'profile_values', 'states']) AS erased (name);
    ELSIF of_kind = 'session' THEN
        -- Facts that any message of the session had a part in.
        DELETE FROM facts
        WHERE owner_id = of_owner AND (session_id = of_session OR fact_id IN (
            SELECT change.fact_id FROM fact_changes AS change
            JOIN messages AS message
                ON message.owner_id = of_owner AND message.message_id = change.message_id
            WHERE change.owner_id = of_owner AND message.session_id = of_session
        ));
        GET DIAGNOSTICS gone = ROW_COUNT;
        PERFORM note_fact_models(of_owner);
        PERFORM count_erased(of_owner, new_erasure, 'database', 'facts', gone);
        DELETE FROM jobs WHERE owner_id = of_owner AND payload ->> 'session_id' = of_session::text;
    END IF;
    RETURN new_erasure;
END $$;

-- Deletes some rows of everything, or of one session; returns whether there may be more, or NULL
-- where another worker is at it. A short transaction each, and what it has done is counted in it.
CREATE FUNCTION erase_rows(of_owner uuid, of_erasure uuid, of_session uuid, most integer)
    RETURNS boolean
    LANGUAGE plpgsql AS $$
DECLARE
    erased text;
    room   bigint := most;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    PERFORM FROM erasures
    WHERE owner_id = of_owner AND erasure_id = of_erasure AND state = 'under_way'
    FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    FOR erased IN
        SELECT name FROM tables_of_owners()
        WHERE is_erased AND (of_session IS NULL OR has_session)
    LOOP
        room := room - erase_from(of_owner, of_erasure, erased, of_session, room::integer);
        IF room <= 0 THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;

-- How many rows there are of an owner, or of one session, by table: what an erasure leaves on
-- purpose is not looked at, nor the owner's own row, which goes with the last step.
CREATE FUNCTION rows_left(of_owner uuid, of_session uuid)
    RETURNS TABLE (name text, number bigint)
    LANGUAGE plpgsql AS $$
DECLARE
    looked_at text;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    FOR looked_at IN
        SELECT one.name FROM tables_of_owners() AS one
        WHERE one.is_verified AND (of_session IS NULL OR one.has_session)
    LOOP
        name := looked_at;
        EXECUTE format(
            'SELECT count(*) FROM %I WHERE owner_id = $1 %s',
            looked_at, CASE WHEN of_session IS NOT NULL THEN 'AND session_id = $2' END
        ) INTO number USING of_owner, of_session;
        RETURN NEXT;
    END LOOP;
END $$;

-- Erases the oldest messages from before a time with all that was made of them, and once there are
-- none the rest from before it; returns the sessions that it has changed, or NULL where another worker
-- is at it. Counters change by what goes: counting a long session anew for every thousand messages
-- would take as long as the square of its length.
CREATE FUNCTION erase_before(
    of_owner uuid, of_erasure uuid, before_time timestamptz, most integer
) RETURNS uuid[]
    LANGUAGE plpgsql AS $$
DECLARE
    sessions_of uuid[];
    sequences   bigint[];
    ids         uuid[];
    turns_of    bigint[];
    active      boolean[];
    gone        bigint;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    PERFORM FROM erasures
    WHERE owner_id = of_owner AND erasure_id = of_erasure AND state = 'under_way'
    FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT
        array_agg(session_id), array_agg(sequence), array_agg(message_id), array_agg(turn_number),
        array_agg(is_active)
    INTO sessions_of, sequences, ids, turns_of, active
    FROM (
        SELECT session_id, sequence, message_id, turn_number, is_active FROM messages
        WHERE owner_id = of_owner AND created_at < before_time
        ORDER BY created_at, session_id, sequence
        LIMIT most
    ) AS oldest;
    IF ids IS NULL THEN
        PERFORM erase_rest_before(of_owner, of_erasure, before_time, most);
        RETURN '{}';
    END IF;
    PERFORM FROM sessions
    WHERE owner_id = of_owner AND session_id = ANY(sessions_of)
    ORDER BY session_id
    FOR NO KEY UPDATE;
    PERFORM hold_facts(of_owner);
    PERFORM FROM recall_owners WHERE owner_id = of_owner FOR NO KEY UPDATE;
    DELETE FROM facts
    WHERE owner_id = of_owner AND (message_id = ANY(ids) OR fact_id IN (
        SELECT fact_id FROM fact_changes WHERE owner_id = of_owner AND message_id = ANY(ids)
    ));
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM note_fact_models(of_owner);
    PERFORM count_erased(of_owner, of_erasure, 'database', 'facts', gone);
    DELETE FROM recall_entries AS entry
    USING (
        SELECT DISTINCT place.session_id, nearest.sequence
        FROM unnest(sessions_of, sequences, ids) AS place (session_id, sequence, message_id)
        CROSS JOIN LATERAL (
            SELECT own.sequence, own.message_ids FROM recall_entries AS own
            WHERE own.owner_id = of_owner
              AND own.session_id = place.session_id
              AND own.sequence <= place.sequence
            ORDER BY own.sequence DESC
            LIMIT 3
        ) AS nearest
        WHERE place.message_id = ANY(nearest.message_ids)
    ) AS made
    WHERE entry.owner_id = of_owner
      AND entry.session_id = made.session_id
      AND entry.sequence = made.sequence;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'recall_entries', gone);
    DELETE FROM summaries
    WHERE owner_id = of_owner AND session_id = ANY(sessions_of) AND last_sequence >= (
        SELECT min(place.sequence)
        FROM unnest(sessions_of, sequences) AS place (session_id, sequence)
        WHERE place.session_id = summaries.session_id
    );
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'summaries', gone);
    DELETE FROM messages AS message
    USING unnest(sessions_of, sequences) AS place (session_id, sequence)
    WHERE message.owner_id = of_owner
      AND message.session_id = place.session_id
      AND message.sequence = place.sequence;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'messages', gone);
    -- Of a turn of which messages stay, the index has to be made anew.
    UPDATE turns AS turn SET index_due = pg_current_xact_id()::text::bigint
    FROM (SELECT DISTINCT * FROM unnest(sessions_of, turns_of)) AS touched (session_id, turn_number)
    WHERE turn.owner_id = of_owner
      AND turn.session_id = touched.session_id
      AND turn.turn_number = touched.turn_number;
    DELETE FROM turns AS turn
    USING (SELECT DISTINCT * FROM unnest(sessions_of, turns_of)) AS touched (session_id, turn_number)
    WHERE turn.owner_id = of_owner
      AND turn.session_id = touched.session_id
      AND turn.turn_number = touched.turn_number
      AND NOT EXISTS (
        SELECT FROM messages AS message
        WHERE message.owner_id = of_owner
          AND message.session_id = turn.session_id
          AND message.turn_number = turn.turn_number
      );
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'turns', gone);
    UPDATE sessions AS session
    SET message_count = session.message_count - fewer.active,
        inactive_count = session.inactive_count - fewer.inactive,
        turn_count = session.turn_count - fewer.turns,
        current_turn = (
            SELECT message.turn_number FROM messages AS message
            WHERE message.owner_id = of_owner
              AND message.session_id = session.session_id
              AND message.turn_number IS NOT NULL
              AND message.is_active
            ORDER BY message.turn_number DESC
            LIMIT 1
        ),
        summarized_through = summary.through,
        summarized_count = CASE WHEN summary.through = 0 THEN 0 ELSE session.summarized_count END
    FROM (
        SELECT
            place.session_id,
            count(*) FILTER (WHERE place.is_active) AS active,
            count(*) FILTER (WHERE NOT place.is_active) AS inactive,
            count(DISTINCT place.turn_number) FILTER (WHERE place.is_active AND NOT EXISTS (
                SELECT FROM messages AS message
                WHERE message.owner_id = of_owner
                  AND message.session_id = place.session_id
                  AND message.turn_number = place.turn_number
                  AND message.is_active
            )) AS turns
        FROM unnest(sessions_of, turns_of, active) AS place (session_id, turn_number, is_active)
        GROUP BY place.session_id
    ) AS fewer
    CROSS JOIN LATERAL (
        SELECT coalesce(max(last_sequence), 0) AS through FROM summaries
        WHERE owner_id = of_owner AND session_id = fewer.session_id
    ) AS summary
    WHERE session.owner_id = of_owner AND session.session_id = fewer.session_id;
    RETURN array(SELECT DISTINCT unnest(sessions_of));
END $$;

-- What was stored before a time and belongs to no message from before it.
CREATE FUNCTION erase_rest_before(
    of_owner uuid, of_erasure uuid, before_time timestamptz, most integer
) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    sessions_of uuid[];
    gone        bigint;
BEGIN
    PERFORM set_config('recollect.owner_id', of_owner::text, true);
    SELECT array_agg(DISTINCT session_id) INTO sessions_of FROM (
        SELECT session_id FROM recall_entries
        WHERE owner_id = of_owner AND said_at < before_time
        LIMIT most
    ) AS old;
    PERFORM FROM sessions
    WHERE owner_id = of_owner AND session_id = ANY(sessions_of)
    ORDER BY session_id
    FOR NO KEY UPDATE;
    PERFORM hold_facts(of_owner);
    PERFORM FROM recall_owners WHERE owner_id = of_owner FOR NO KEY UPDATE;
    DELETE FROM recall_entries WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM recall_entries
        WHERE owner_id = of_owner AND session_id = ANY(sessions_of) AND said_at < before_time
        LIMIT most
    ));
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'recall_entries', gone);
    DELETE FROM facts WHERE owner_id = of_owner AND created_at < before_time;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM note_fact_models(of_owner);
    PERFORM count_erased(of_owner, of_erasure, 'database', 'facts', gone);
    DELETE FROM profile_values WHERE owner_id = of_owner AND updated_at < before_time;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'profile_values', gone);
    DELETE FROM states WHERE owner_id = of_owner AND updated_at < before_time;
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'states', gone);
    DELETE FROM sessions AS session
    WHERE session.owner_id = of_owner
      AND session.created_at < before_time
      AND session.message_count + session.inactive_count = 0
      AND NOT EXISTS (
        SELECT FROM messages AS message
        WHERE message.owner_id = of_owner AND message.session_id = session.session_id
      );
    GET DIAGNOSTICS gone = ROW_COUNT;
    PERFORM count_erased(of_owner, of_erasure, 'database', 'sessions', gone);
END $$;
