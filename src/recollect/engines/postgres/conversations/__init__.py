"""Sessions, messages, turns and branches in PostgreSQL."""
