-- Drop the whole schema's contents. The role and pgvector stay: other databases may use them.

DROP FUNCTION export_messages(uuid, uuid[], bigint, integer, bigint);
DROP TABLE
    fact_models, fact_changes, facts,
    recall_removals, recall_models, recall_owners, recall_words, recall_entries,
    jobs, summaries, messages, turns, sessions, audit, audit_chains, profile_values, profiles, states,
    api_keys, owners;
DROP FUNCTION
    append_audit(jsonb), prune_audit(timestamptz, integer, integer), audited_tenant(),
    touch_facts(uuid, uuid[], timestamptz), delete_facts(uuid, uuid[]),
    embed_facts(uuid, text, json),
    commit_facts(uuid, text, text, uuid[], json, json, timestamptz),
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
