"""The schema as of the first release; the development versions before it had revisions to 0010."""

from recollect.engines.postgres.migrations import run_script

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables, the role that works with them and their policies."""
    for subject in ("accounts", "conversations", "work", "recall", "isolation"):
        run_script(f"schema/{subject}.sql")


def downgrade() -> None:
    """Drop what upgrade created, with all data."""
    run_script("schema/drop.sql")
