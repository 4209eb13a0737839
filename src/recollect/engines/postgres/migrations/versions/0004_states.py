"""The mode of each user, such as halted, and turns that nobody will answer any more."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table of modes, and let workers fail abandoned turns."""
    run_script("0004_states.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0004_states.down.sql")
