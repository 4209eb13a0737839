"""Turns that nobody will answer any more, found sooner."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Let a worker fail them after ten minutes, and find them by an index."""
    run_script("0010_abandoned_turns.sql")


def downgrade() -> None:
    """Let it wait for an hour again."""
    run_script("0010_abandoned_turns.down.sql")
