"""Replies in one round trip."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Let a statement that holds a session ask for the turn it answers."""
    run_script("0006_replies.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0006_replies.down.sql")
