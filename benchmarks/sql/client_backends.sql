-- The server's processes that work for clients.
SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
