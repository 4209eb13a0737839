"""What has changed of an owner's entries, so that they can be kept at hand."""

from recollect.engines.postgres.migrations.script import run_script

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Count the changes of an owner's entries that are no additions."""
    run_script("0007_recall_changes.sql")


def downgrade() -> None:
    """Drop what upgrade created."""
    run_script("0007_recall_changes.down.sql")
