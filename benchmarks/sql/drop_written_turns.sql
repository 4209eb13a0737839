-- Delete what a measurement wrote: turns, and their messages with them, newer than the load.
DELETE FROM recollect.turns
USING recollect.sessions
WHERE sessions.updated_at > $1
    AND turns.owner_id = sessions.owner_id
    AND turns.session_id = sessions.session_id
    AND turns.started_at > $1
