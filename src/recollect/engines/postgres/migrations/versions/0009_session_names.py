"""Where the names of sessions come from."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Remember which question a name was made from."""
    run_script("0009_session_names.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0009_session_names.down.sql")
