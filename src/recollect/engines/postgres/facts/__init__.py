"""Facts about users in PostgreSQL: the store, and rows as facts."""
