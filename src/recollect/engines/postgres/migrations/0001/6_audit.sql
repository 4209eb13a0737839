-- The audit log: what was done to whose memory, and never what was said.

-- The entries of each owner are a chain: the hash of an entry covers all its fields and the hash of
-- the entry before it. No reference to owners: the log outlives what it records. It has no names of
-- users, so that nothing in it has to change when a user is erased.
CREATE TABLE audit (
    owner_id       uuid NOT NULL,
    number         bigint NOT NULL CHECK (number > 0),  -- from 1, without gaps
    tenant_id      text NOT NULL,
    action         text NOT NULL,
    target         text NOT NULL,
    items          uuid[] NOT NULL,  -- what was read or written; of many, the first
    count          bigint NOT NULL,
    actor          text NOT NULL,
    interface      text NOT NULL,
    transaction_id text NOT NULL,
    at             timestamptz NOT NULL,
    hash           bytea NOT NULL,
    PRIMARY KEY (owner_id, number)
);
CREATE INDEX audit_by_time ON audit (tenant_id, at, owner_id, number);

-- Where the chain of an owner begins and ends. Writers of one owner queue up at its row.
CREATE TABLE audit_chains (
    owner_id     uuid PRIMARY KEY,
    tenant_id    text NOT NULL,
    begins_after bigint NOT NULL DEFAULT 0,  -- the last entry that retention has deleted
    begin_hash   bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),  -- and its hash
    begins_at    timestamptz,  -- the time of the first entry that is kept; NULL without one
    last_number  bigint NOT NULL DEFAULT 0,
    last_hash    bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);
CREATE INDEX audit_chains_by_age ON audit_chains (begins_at);
CREATE INDEX audit_chains_by_tenant ON audit_chains (tenant_id, owner_id);

-- The role of the application may read both tables and call the two functions below, which run as
-- the owner of the tables: so nothing that it does can change, delete or insert an entry.

-- Adds entries to the chains of their owners and returns how many. Chains are locked in the order
-- of their owners: two batches never wait for each other.
CREATE FUNCTION append_audit(given jsonb) RETURNS bigint
    LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = recollect, pg_temp AS $$
DECLARE
    before text := coalesce(current_setting('recollect.owner_id', true), '');
    chain audit_chains;
    entry record;
    added bigint := 0;
BEGIN
    FOR entry IN
        SELECT one.*, lead(one.owner_id) OVER in_order IS DISTINCT FROM one.owner_id AS is_last
        FROM ROWS FROM (
            jsonb_to_recordset(given) AS (
                owner_id uuid, tenant_id text, action text, target text, items uuid[],
                count bigint, actor text, interface text, transaction_id text, at timestamptz
            )
        ) WITH ORDINALITY AS one (
            owner_id, tenant_id, action, target, items,
            count, actor, interface, transaction_id, at, place
        )
        WINDOW in_order AS (ORDER BY one.owner_id, one.place)
        ORDER BY one.owner_id, one.place
    LOOP
        IF chain.owner_id IS DISTINCT FROM entry.owner_id THEN
            PERFORM set_config('recollect.owner_id', entry.owner_id::text, true);
            INSERT INTO audit_chains (owner_id, tenant_id)
            VALUES (entry.owner_id, entry.tenant_id)
            ON CONFLICT (owner_id) DO NOTHING;
            SELECT * INTO STRICT chain FROM audit_chains
            WHERE owner_id = entry.owner_id
            FOR UPDATE;
        END IF;
        chain.last_number := chain.last_number + 1;
        chain.last_hash := sha256(chain.last_hash || convert_to(jsonb_build_array(
            entry.owner_id, entry.tenant_id, chain.last_number, entry.action, entry.target,
            entry.items, entry.count, entry.actor, entry.interface, entry.transaction_id,
            (extract(epoch FROM entry.at) * 1000000)::bigint
        )::text, 'UTF8'));
        INSERT INTO audit VALUES (
            entry.owner_id, chain.last_number, entry.tenant_id, entry.action, entry.target,
            entry.items, entry.count, entry.actor, entry.interface, entry.transaction_id,
            entry.at, chain.last_hash
        );
        chain.begins_at := coalesce(chain.begins_at, entry.at);
        added := added + 1;
        IF entry.is_last THEN
            UPDATE audit_chains
            SET last_number = chain.last_number,
                last_hash = chain.last_hash,
                begins_at = chain.begins_at
            WHERE owner_id = entry.owner_id;
        END IF;
    END LOOP;
    PERFORM set_config('recollect.owner_id', before, true);
    RETURN added;
END $$;

-- Deletes the oldest entries of some chains, up to the first one that is not older, and notes where
-- each chain begins then; how many went. Not those of the last six days, whatever is given: who
-- takes over the application cannot remove the traces of that. (A setting has a week at least.)
CREATE FUNCTION prune_audit(older_than timestamptz, most_chains integer, most_entries integer)
    RETURNS bigint
    LANGUAGE plpgsql STRICT SECURITY DEFINER SET search_path = recollect, pg_temp AS $$
DECLARE
    chain audit_chains;
    kept bigint;
    pruned bigint := 0;
BEGIN
    IF older_than > clock_timestamp() - interval '6 days' THEN
        RAISE EXCEPTION 'entries of the last six days cannot be pruned'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM set_config('recollect.worker', 'on', true);
    FOR chain IN
        SELECT * FROM audit_chains
        WHERE begins_at < older_than
        ORDER BY begins_at
        LIMIT most_chains
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM set_config('recollect.owner_id', chain.owner_id::text, true);
        SELECT number INTO kept FROM audit
        WHERE owner_id = chain.owner_id
          AND number BETWEEN chain.begins_after + 1 AND chain.begins_after + most_entries
          AND at >= older_than
        ORDER BY number
        LIMIT 1;
        kept := coalesce(
            kept, least(chain.begins_after + most_entries, chain.last_number) + 1
        );
        pruned := pruned + kept - 1 - chain.begins_after;
        UPDATE audit_chains
        SET begins_after = kept - 1,
            begin_hash = coalesce(
                (
                    SELECT hash FROM audit
                    WHERE owner_id = chain.owner_id AND number = kept - 1
                ),
                begin_hash
            ),
            begins_at = (SELECT at FROM audit WHERE owner_id = chain.owner_id AND number = kept)
        WHERE owner_id = chain.owner_id;
        DELETE FROM audit WHERE owner_id = chain.owner_id AND number < kept;
    END LOOP;
    PERFORM set_config('recollect.owner_id', '', true);
    RETURN pruned;
END $$;
