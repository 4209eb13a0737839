"""Owners, sessions, turns, messages, jobs, API keys and the audit log."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables, the role that works with them and their policies."""
    run_script("0001_foundation.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0001_foundation.down.sql")
