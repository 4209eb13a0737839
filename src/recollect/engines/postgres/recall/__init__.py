"""The index for recall in PostgreSQL, and its caches."""
