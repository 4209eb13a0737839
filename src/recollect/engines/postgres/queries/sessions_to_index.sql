-- Some sessions of all owners with turns to index, and whose they are; none that has expired.
SELECT due.session_id, owner.tenant_id, owner.user_id
FROM (
    SELECT turn.owner_id, turn.session_id FROM turns AS turn
    WHERE turn.index_due IS NOT NULL
      AND NOT EXISTS (
        SELECT FROM sessions AS session
        WHERE session.owner_id = turn.owner_id
          AND session.session_id = turn.session_id
          AND session.expires_at <= worker_time()
      )
    GROUP BY turn.owner_id, turn.session_id
    LIMIT $1
) AS due
JOIN owners AS owner ON owner.owner_id = due.owner_id
