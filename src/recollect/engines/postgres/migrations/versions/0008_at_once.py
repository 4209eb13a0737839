"""What the background does to a session in use, in one round trip."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Let a worker replace entries and a summary while it holds nothing itself."""
    run_script("0008_at_once.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0008_at_once.down.sql")
