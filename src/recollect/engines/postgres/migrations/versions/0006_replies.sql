-- The turn of a message on the active branch, as it is now, and not as it was when the statement
-- began: one that stores a reply waits for the session first, and what it waited for may have
-- switched to another branch. That is why it is volatile, and a function at all.
CREATE FUNCTION turn_answered(owner uuid, session uuid, message uuid) RETURNS bigint
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    answered bigint;
BEGIN
    SELECT turn_number INTO answered
    FROM recollect.messages
    WHERE owner_id = owner AND session_id = session AND message_id = message AND is_active;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such message on the active branch' USING ERRCODE = 'RC404';
    END IF;
    RETURN answered;
END
$$;
