-- How many entries the owner has in sessions that have not expired, and how many by a model.
SELECT count(*) AS entries, count(*) FILTER (WHERE entry.model = $2) AS embedded
FROM recall_entries AS entry
WHERE entry.owner_id = $1
  AND NOT EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = entry.session_id
      AND session.expires_at <= $3
  )
