"""Running a revision's SQL file inside the migration's transaction."""

from pathlib import Path
from typing import cast

from alembic import op
from sqlalchemy.engine.interfaces import AdaptedConnection

_VERSIONS = Path(__file__).parent / "versions"


def run_script(name: str) -> None:
    """Run all statements of a file of `versions` on the connection that Alembic works on.

    The driver takes a whole script at once, so the files stay plain SQL with nothing to split.
    """
    script = (_VERSIONS / name).read_text(encoding="utf-8")
    connection = cast("AdaptedConnection", op.get_bind().connection.dbapi_connection)
    connection.run_async(lambda driver: driver.execute(script))
