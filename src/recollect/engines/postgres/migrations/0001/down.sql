-- Drop the whole schema's contents. The role and pgvector stay: other databases may use them.

DROP TABLE recollect_keys.owner_keys;
DROP SCHEMA recollect_keys;
DROP FUNCTION
    export_messages(uuid, uuid[], bigint, integer, bigint),
    list_messages(uuid, uuid, boolean, bigint, boolean, integer, integer, timestamptz);
DROP TABLE
    erasures, receipt_keys, archive_notes,
    fact_models, fact_changes, facts,
    recall_removals, recall_models, recall_owners, recall_words, recall_entries,
    jobs, summaries, messages, turns, sessions, audit, audit_chains, profile_values, profiles, states,
    tenant_settings, ended_visits, api_keys, owners;
DROP FUNCTION
    create_owner_key(uuid, bytea, text), destroy_owner_key(uuid, uuid, interval),
    encrypt_entries(uuid, json), is_encrypted(text),
    append_audit(jsonb), prune_audit(timestamptz, integer, integer), audited_tenant(),
    begin_erasure(
        uuid, text, text, uuid, text, uuid, timestamptz, uuid, text, text, timestamptz
    ),
    erase_rows(uuid, uuid, uuid, integer), erase_from(uuid, uuid, text, uuid, integer),
    count_erased(uuid, uuid, text, text, bigint), rows_left(uuid, uuid), tables_of_owners(),
    erase_before(uuid, uuid, timestamptz, integer),
    erase_rest_before(uuid, uuid, timestamptz, integer), refuse_while_erased(),
    touch_facts(uuid, uuid[], timestamptz), delete_facts(uuid, uuid[]),
    embed_facts(uuid, text, json),
    commit_facts(uuid, text, text, uuid[], json, json, uuid, timestamptz),
    import_facts(uuid, text, text, json, json, timestamptz),
    note_fact_models(uuid), hold_facts(uuid),
    embed_entries(uuid, uuid[], text, json, timestamptz),
    replace_entries(uuid, uuid, bigint[], json, text, timestamptz),
    put_summary(
        uuid, uuid, bigint, bigint, bigint, bigint, text, text[], text, timestamptz, timestamptz
    ),
    taken_places(uuid, uuid[], uuid[], bigint[]),
    hold_sessions(uuid, uuid[], timestamptz), turn_answered(uuid, uuid, uuid),
    count_added_entries(), count_removed_entries(), count_embedded_entries(),
    note_removed_entries(), note_changed_entries(),
    current_owner(), is_worker(), worker_time();
REVOKE SELECT ON schema_revision FROM recollect_app;
REVOKE USAGE ON SCHEMA recollect FROM recollect_app;
