-- Background jobs: the queue, summaries and turns to index.

-- name: take_job
-- Take the job that has waited longest, for the time of a lease; other workers skip it meanwhile.
-- Kinds that this version does not know are left to those that do. The statement says itself that
-- it is a worker's, before it looks for any, and waits for no disk.
WITH taken AS (
    UPDATE jobs
    SET scheduled_at = :lease_until, attempts = attempts + 1
    WHERE (owner_id, job_id) = (
        SELECT owner_id, job_id FROM jobs
        WHERE scheduled_at <= :now AND kind = ANY(:kinds::text[])
        ORDER BY scheduled_at, job_id
        FOR UPDATE SKIP LOCKED
        LIMIT 1
    )
    RETURNING *
)
SELECT job.*
FROM (
    SELECT
        set_config('recollect.worker', 'on', true) AS worker,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT * FROM taken
    WHERE scope.worker = 'on'
    LIMIT 1
) AS job

-- name: finish_job
-- Take a job that is done away, unless it is no longer the worker's.
-- The statement sets the owner itself, before it changes anything. It waits for no disk: a job that
-- a crash brings back is done again.
WITH done AS (
    DELETE FROM jobs
    WHERE owner_id = :owner_id AND job_id = :job_id AND scheduled_at = :scheduled_at
    RETURNING job_id
)
SELECT finished.*
FROM (
    SELECT
        set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT job_id FROM done
    WHERE scope.owner_id = :owner_id
    LIMIT 1
) AS finished

-- name: postpone_job
-- Let a job wait for another try, unless it is no longer the worker's.
UPDATE jobs SET scheduled_at = :until WHERE owner_id = :owner_id AND job_id = :job_id AND scheduled_at = :scheduled_at

-- name: get_summary
-- The summary of a session that has not expired.
SELECT summary.* FROM summaries AS summary
WHERE summary.owner_id = :owner_id
  AND summary.session_id = :session_id
  AND EXISTS (
    SELECT FROM sessions AS session
    WHERE session.owner_id = :owner_id
      AND session.session_id = :session_id
      AND (session.expires_at IS NULL OR session.expires_at > :now)
  )

-- name: put_summary
-- Keep a session's summary in place of the one before, if what it adds to that is all still there.
-- The function sets the owner.
SELECT put_summary(:owner_id, :session_id, :replaces, :added, :first_sequence, :last_sequence, :text, :tables, :method, :created_at, :now) AS is_kept

-- name: delete_stale_summaries
-- Delete the summaries of these sessions that tell of a message that is gone.
DELETE FROM summaries AS summary
USING unnest(:session_ids::uuid[], :first_gone::bigint[]) AS gone (session_id, first_gone)
WHERE summary.owner_id = :owner_id
  AND summary.session_id = gone.session_id
  AND summary.last_sequence >= gone.first_gone

-- name: sessions_due
-- Some sessions of all owners with turns to index or, once these are indexed, to learn from, and
-- whose they are; none that has expired.
-- The statement says itself that it is a worker's, and what time it is, before it looks for any.
SELECT due.*
FROM (
    SELECT
        set_config('recollect.worker', 'on', true) AS worker,
        set_config('recollect.now', :now::timestamptz::text, true) AS now
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT chosen.session_id, owner.tenant_id, owner.user_id
    FROM (
        SELECT turn.owner_id, turn.session_id FROM turns AS turn
        WHERE turn.index_due IS NOT NULL
          AND (turn.index_done IS NOT DISTINCT FROM turn.index_due) = :is_indexed
          AND scope.worker = 'on'
          AND NOT EXISTS (
            SELECT FROM sessions AS session
            WHERE session.owner_id = turn.owner_id
              AND session.session_id = turn.session_id
              AND session.expires_at <= worker_time()
          )
        GROUP BY turn.owner_id, turn.session_id
        LIMIT :limit
    ) AS chosen
    JOIN owners AS owner ON owner.owner_id = chosen.owner_id
    LIMIT :limit
) AS due

-- name: turns_due
-- A session's oldest turns to index or to learn from, and the open questions before them, with
-- their messages.
-- The statement sets the owner itself.
WITH due AS MATERIALIZED (
    SELECT turn_number, status, index_due FROM turns
    WHERE owner_id = :owner_id
      AND session_id = :session_id
      AND index_due IS NOT NULL
      AND (index_done IS NOT DISTINCT FROM index_due) = :is_indexed
    ORDER BY turn_number
    LIMIT :limit
), chosen AS MATERIALIZED (
    SELECT turn_number, status, index_due FROM due
    UNION
    SELECT before.turn_number, before.status, before.index_due
    FROM due
    CROSS JOIN LATERAL (
        SELECT turn_number, status, index_due FROM turns
        WHERE owner_id = :owner_id AND session_id = :session_id AND turn_number < due.turn_number
        ORDER BY turn_number DESC
        LIMIT 1
    ) AS before
    WHERE before.status = 'pending'
)
SELECT indexable.*
FROM (SELECT set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id OFFSET 0) AS scope
CROSS JOIN LATERAL (
    SELECT
        chosen.turn_number AS due_turn, chosen.status, chosen.index_due,
        chosen.turn_number = session.current_turn AS is_latest, message.*
    FROM sessions AS session
    CROSS JOIN chosen
    LEFT JOIN messages AS message
        ON message.owner_id = :owner_id
        AND message.session_id = :session_id
        AND message.turn_number = chosen.turn_number
        AND message.is_active
    WHERE scope.owner_id = :owner_id
      AND session.owner_id = :owner_id
      AND session.session_id = :session_id
      AND (session.expires_at IS NULL OR session.expires_at > :now)
    ORDER BY chosen.turn_number, message.sequence
    OFFSET 0
) AS indexable

-- name: finish_due
-- Turns are indexed or learnt from, but for those that have changed again meanwhile.
-- The statement sets the owner itself, before it changes any. Nobody's data is lost with it: what
-- a crash forgets is done again. So it waits for no disk, and keeps it from nobody who does.
WITH indexed AS (
    UPDATE turns AS turn
    SET index_due = CASE
            WHEN :stays_due::boolean AND turn.learnt IS DISTINCT FROM turn.index_due THEN turn.index_due
        END,
        index_done = turn.index_due
    FROM unnest(:turn_numbers::bigint[], :changes::bigint[]) AS done (turn_number, change)
    WHERE turn.owner_id = :owner_id
      AND turn.session_id = :session_id
      AND turn.turn_number = done.turn_number
      AND turn.index_due = done.change
      AND (turn.index_done IS NOT DISTINCT FROM turn.index_due) = :is_indexed
    RETURNING turn.turn_number
)
SELECT finished.*
FROM (
    SELECT
        set_config('recollect.owner_id', :owner_id::uuid::text, true)::uuid AS owner_id,
        set_config('synchronous_commit', 'off', true)
    OFFSET 0
) AS scope
CROSS JOIN LATERAL (
    SELECT turn_number FROM indexed
    WHERE scope.owner_id = :owner_id
    LIMIT 1
) AS finished

-- name: count_due
-- How many turns of all owners wait to be indexed or, once they are indexed, to be learnt from.
SELECT count(*) FROM turns
WHERE index_due IS NOT NULL AND (index_done IS NOT DISTINCT FROM index_due) = :is_indexed
