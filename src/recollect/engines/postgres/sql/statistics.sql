-- How much is stored, and what waits to be done: for those who operate the server.

-- name: table_sizes
-- The size of each table with its indexes and long values, and about how many rows it has: those
-- that PostgreSQL's statistics count, which are exact but for a crash.
SELECT
    class.relname::text AS name,
    pg_total_relation_size(class.oid) AS bytes,
    coalesce(pg_stat_get_live_tuples(class.oid), 0) AS rows
FROM pg_class AS class
WHERE class.relnamespace = 'recollect'::regnamespace AND class.relkind = 'r'
ORDER BY class.relname

-- name: queue_depths
-- How much waits for background work, and since when the oldest of it; of turns nobody notes that.
-- Of jobs and erasures only those whose time has come: others wait for another try.
SELECT 'jobs' AS queue, count(*) AS depth, min(scheduled_at) AS oldest
FROM jobs WHERE scheduled_at <= :now
UNION ALL
SELECT 'erasures', count(*), min(next_at)
FROM erasures WHERE state = 'under_way' AND next_at <= :now
UNION ALL
SELECT 'indexing', count(*), min(started_at)
FROM turns WHERE index_due IS NOT NULL AND (index_done IS NOT DISTINCT FROM index_due) = false
UNION ALL
SELECT 'learning', count(*), NULL
FROM turns WHERE index_due IS NOT NULL AND (index_done IS NOT DISTINCT FROM index_due) = true
