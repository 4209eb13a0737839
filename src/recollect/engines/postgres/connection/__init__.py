"""Connections to PostgreSQL: the pool, transactions, errors, migrations."""
