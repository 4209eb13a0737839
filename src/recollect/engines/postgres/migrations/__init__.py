"""The schema's history: revisions for Alembic, written in plain SQL."""

from pathlib import Path
from typing import cast

from alembic import op
from sqlalchemy.engine.interfaces import AdaptedConnection


def run_script(name: str) -> None:
    """Run all statements of a file of this folder in the migration's transaction.

    The driver takes a whole script at once, so the files stay plain SQL with nothing to split.
    """
    script = (Path(__file__).parent / name).read_text(encoding="utf-8")
    connection = cast("AdaptedConnection", op.get_bind().connection.dbapi_connection)
    connection.run_async(lambda driver: driver.execute(script))
