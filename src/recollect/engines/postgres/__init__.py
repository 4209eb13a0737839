"""The reference engine: PostgreSQL with row-level security, embedded or anywhere."""
