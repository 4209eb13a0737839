-- Where a session's name comes from: names made from a question go with it.

-- The turn whose question the name was made from; NULL for a name that somebody gave.
ALTER TABLE sessions ADD COLUMN name_turn bigint;

-- Names that are the first question's, as far as white space and unprintable characters do not
-- tell them apart: the whole of it, or its first 500 characters (499 where a blank was cut off).
-- Whoever owns the tables is bound by their policies too, and sees no rows.
ALTER TABLE sessions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE messages NO FORCE ROW LEVEL SECURITY;
UPDATE sessions AS session
SET name_turn = first.turn_number
FROM (
    SELECT
        named.owner_id,
        named.session_id,
        question.turn_number,
        char_length(named.name) >= 499 AS is_cut,
        regexp_replace(named.name, blanks.pattern, '', 'g') AS name,
        regexp_replace(
            left(ltrim(question.content, E' \t\n\r\v\f'), 2000), blanks.pattern, '', 'g'
        ) AS asked
    FROM sessions AS named
    CROSS JOIN (VALUES ('[\s\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u3000\ufeff]+')) AS blanks (pattern)
    CROSS JOIN LATERAL (
        SELECT turn_number, content FROM messages
        WHERE owner_id = named.owner_id AND session_id = named.session_id AND role = 'user'
        ORDER BY sequence
        LIMIT 1
    ) AS question
    WHERE named.name IS NOT NULL
) AS first
WHERE session.owner_id = first.owner_id
  AND session.session_id = first.session_id
  AND (first.asked = first.name OR (first.is_cut AND starts_with(first.asked, first.name)));
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
