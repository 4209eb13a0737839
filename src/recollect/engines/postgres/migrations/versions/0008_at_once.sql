-- What the background does to a session that somebody talks in, each in one round trip: whoever
-- waits for the session waits for the database alone, and never for a worker that has stepped back
-- behind everybody else. They are functions, for each statement of one sees what those have done
-- for whom the first had to wait. Every statement names the owner.

-- Names the owner for the rest of the transaction, and holds sessions against writers, always in
-- the same order; those that are there, or NULL. What is read after it is as those left it for whom
-- it had to wait: it is a statement of its own wherever it is called.
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
        session_id uuid, sequence bigint, message_ids uuid[], text text, vector text,
        model_key integer
    )
    WHERE entry.owner_id = of_owner
      AND entry.session_id = ANY(there)
      AND entry.session_id = embedded.session_id
      AND entry.sequence = embedded.sequence
      AND entry.message_ids = embedded.message_ids
      AND entry.text = embedded.text;
END $$;
