"""Background work in PostgreSQL, and what it reads and writes."""
