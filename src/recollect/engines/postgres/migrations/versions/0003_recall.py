"""What recall finds entries by: vectors, words, and which turns still wait to be indexed."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the index of what was said."""
    run_script("0003_recall.sql")


def downgrade() -> None:
    """Drop what upgrade created; the extension stays, for others may use it."""
    run_script("0003_recall.down.sql")
