"""How Alembic runs our revisions: on the connection that `connection.migrate` opened."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table_schema="recollect",
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
