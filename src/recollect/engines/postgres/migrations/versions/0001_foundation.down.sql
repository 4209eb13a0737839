-- Take everything of the foundation away again. The role stays: other databases may use it.

DROP TABLE audit, api_keys, jobs, messages, turns, sessions, owners;
DROP FUNCTION current_owner();
REVOKE SELECT ON alembic_version FROM recollect_app;
REVOKE USAGE ON SCHEMA recollect FROM recollect_app;
