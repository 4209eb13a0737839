-- Keep entries of a session, numbered from a number on; those whose messages are all there.
INSERT INTO recall_entries (
    owner_id, session_id, sequence, last_sequence, turn_number, said_at, number, length,
    model_key, vector, model, bits, speaker, tables, message_ids, text, kept_in, terms,
    counts
)
SELECT
    $1, $2, entry.sequence, there.last_sequence, entry.turn_number, entry.said_at,
    $3 + row_number() OVER (ORDER BY entry.sequence), entry.length, entry.model_key,
    entry.vector::halfvec, entry.model, binary_quantize(entry.vector::halfvec), entry.speaker,
    entry.tables, entry.message_ids, entry.text, $5, entry.terms, entry.counts
FROM json_to_recordset($4::text::json) AS entry (
    sequence bigint, turn_number bigint, said_at timestamptz, length integer, model_key integer,
    vector text, model text, speaker text, tables text[], message_ids uuid[], text text,
    terms integer[], counts smallint[]
)
CROSS JOIN LATERAL (
    SELECT count(*) AS messages, max(message.sequence) AS last_sequence
    FROM messages AS message
    WHERE message.owner_id = $1
      AND message.session_id = $2
      AND message.message_id = ANY(entry.message_ids)
      AND message.is_active
) AS there
WHERE there.messages = cardinality(entry.message_ids)
