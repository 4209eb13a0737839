"""Summaries of older messages, jobs that workers take, and sessions that expire."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create what compaction and retention need."""
    run_script("0002_session_memory.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0002_session_memory.down.sql")
