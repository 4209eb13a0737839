"""The history of the schema, as plain SQL run by Alembic."""
