"""Branches of a conversation, kept as siblings; keys that may use less memory."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Let messages be inactive and turns know what they follow."""
    run_script("0005_branches.sql")


def downgrade() -> None:
    """Drop what upgrade created, and with it the branches that are not active."""
    run_script("0005_branches.down.sql")
