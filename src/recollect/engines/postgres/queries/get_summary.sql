-- The summary of a session that has not expired.
SELECT summary.* FROM summaries AS summary
WHERE summary.owner_id = $1
  AND summary.session_id = $2
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = $1
      AND session.session_id = $2
      AND (session.expires_at IS NULL OR session.expires_at > $3)
  )
