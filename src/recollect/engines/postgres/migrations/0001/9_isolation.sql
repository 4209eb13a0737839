-- The role that works with the data, and the policies that bind it to one owner at a time.

-- The role is not the owner of the tables and no superuser: every policy binds it. Roles belong to
-- the whole server, so another database may have made it already.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'recollect_app') THEN
        CREATE ROLE recollect_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;  -- made since we looked
END $$;
DO $$
BEGIN
    -- Since PostgreSQL 16 a role that creates another may grant it, but not work as it.
    IF NOT pg_has_role('recollect_app', CASE
        WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER'
    END) THEN
        GRANT recollect_app TO CURRENT_USER;
    END IF;
END $$;
GRANT USAGE ON SCHEMA recollect TO recollect_app;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON owners, api_keys, tenant_settings, states, profiles, profile_values,
        sessions, turns, messages, summaries, jobs,
        recall_entries, recall_words, recall_owners, recall_models, recall_removals,
        facts, fact_changes, fact_models, erasures, archive_notes, ended_visits
    TO recollect_app;
GRANT SELECT ON audit, audit_chains TO recollect_app;
GRANT SELECT, INSERT ON receipt_keys TO recollect_app;
REVOKE EXECUTE ON FUNCTION append_audit(jsonb), prune_audit(timestamptz, integer, integer)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION append_audit(jsonb), prune_audit(timestamptz, integer, integer)
    TO recollect_app;
GRANT SELECT ON schema_revision TO recollect_app;
GRANT USAGE ON SCHEMA recollect_keys TO recollect_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON recollect_keys.owner_keys TO recollect_app;

-- The owner of the running transaction; NULL, which equals nothing, when none was set.
CREATE FUNCTION current_owner() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('recollect.owner_id', true), '')::uuid;

-- Every table: the owner's own rows and no others, for the owner of the tables too.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'recollect'::regnamespace
          AND relkind = 'r'
          AND relname <> 'schema_revision'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner_only ON %I USING (owner_id = current_owner())', name);
    END LOOP;
END $$;

-- A worker serves all owners. Its transaction sets this, as others set their owner. It finds work by
-- ids, times and counts. Words, texts and vectors stay with their owner; a second policy on them
-- would also be evaluated for every row of a search.
CREATE FUNCTION is_worker() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN current_setting('recollect.worker', true) = 'on';
CREATE FUNCTION worker_time() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('recollect.now', true), '')::timestamptz;

CREATE POLICY worker_names ON owners FOR SELECT USING (is_worker());
CREATE POLICY worker_lists_settings ON tenant_settings FOR SELECT USING (is_worker());
CREATE POLICY worker_counts_old ON audit FOR SELECT USING (is_worker() AND at < worker_time());
CREATE POLICY worker_prunes ON audit_chains USING (is_worker());
CREATE POLICY worker_takes ON jobs USING (is_worker());
CREATE POLICY worker_sees_expired ON sessions
    USING (is_worker() AND expires_at <= worker_time());
CREATE POLICY worker_finds_due ON turns FOR SELECT
    USING (is_worker() AND index_due IS NOT NULL);

-- Turns whose server was killed can be made failed ones and nothing else, once they have waited for
-- ten minutes, the least that any server waits for an answer.
CREATE POLICY worker_sees_abandoned ON turns FOR SELECT
    USING (
        is_worker() AND status <> 'complete' AND started_at <= worker_time() - interval '10 minutes'
    );
CREATE POLICY worker_fails_abandoned ON turns FOR UPDATE
    USING (
        is_worker() AND status = 'pending' AND started_at <= worker_time() - interval '10 minutes'
    )
    WITH CHECK (is_worker() AND status = 'failed');

CREATE POLICY worker_counts ON recall_models FOR SELECT USING (is_worker());
CREATE POLICY worker_finds_facts ON fact_models FOR SELECT USING (is_worker());
CREATE POLICY worker_removes ON recall_removals USING (is_worker());
CREATE POLICY worker_erases ON erasures USING (is_worker());
CREATE POLICY worker_replaces ON archive_notes USING (is_worker());

-- An administrator of a tenant reads its audit log, with the names of its users, and nothing else.
CREATE FUNCTION audited_tenant() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('recollect.audited_tenant', true), '');
CREATE POLICY tenant_reads ON audit FOR SELECT USING (tenant_id = audited_tenant());
CREATE POLICY tenant_checks ON audit_chains FOR SELECT USING (tenant_id = audited_tenant());
CREATE POLICY tenant_names ON owners FOR SELECT USING (tenant_id = audited_tenant());

-- The same for the data keys. A worker finds those of other master keys and wraps them anew.
ALTER TABLE recollect_keys.owner_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE recollect_keys.owner_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON recollect_keys.owner_keys USING (owner_id = current_owner());
CREATE POLICY worker_finds ON recollect_keys.owner_keys FOR SELECT USING (is_worker());
CREATE POLICY worker_rewraps ON recollect_keys.owner_keys FOR UPDATE USING (is_worker());
