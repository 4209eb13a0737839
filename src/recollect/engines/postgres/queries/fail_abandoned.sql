-- Mark the turns of all owners as failed that have waited for their answers since then; how many.
WITH failed AS (
    UPDATE turns SET status = 'failed', index_due = pg_current_xact_id()::text::bigint
    WHERE status = 'pending' AND started_at <= $1
    RETURNING 1
)
SELECT count(*) FROM failed
