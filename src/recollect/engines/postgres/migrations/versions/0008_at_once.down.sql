DROP FUNCTION replace_entries(uuid, uuid, bigint[], json, text, timestamptz);
DROP FUNCTION put_summary(
    uuid, uuid, bigint, bigint, bigint, bigint, text, text[], text, timestamptz, timestamptz
);
DROP FUNCTION embed_entries(uuid, uuid[], text, json, timestamptz);
DROP FUNCTION hold_sessions(uuid, uuid[], timestamptz);
