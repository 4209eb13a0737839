"""Opening the database that data questions are asked of."""

from pathlib import Path

from sqlalchemy import exc
from sqlalchemy.engine import make_url

from recollect.answerers.sql_database.data import Database
from recollect.errors import ConfigurationError

_SUFFIXES = frozenset({".duckdb", ".ddb"})


def open_database(address: str, *, timeout: float) -> Database:
    """A database by its SQLAlchemy URL, or a DuckDB file by `duckdb:///path` or its path."""
    path = _duckdb_path(address)
    return _open_duckdb(path, timeout) if path else _open_url(address, timeout)


def _duckdb_path(address: str) -> Path | None:
    if address.startswith("duckdb:///"):
        return Path(address.removeprefix("duckdb:///"))
    return Path(address) if Path(address).suffix.lower() in _SUFFIXES else None


def _open_duckdb(path: Path, timeout: float) -> Database:
    try:
        from recollect.answerers.sql_database.duck import (  # noqa: PLC0415  # an extra
            DuckDatabase,
        )
    except ModuleNotFoundError:
        raise ConfigurationError(
            "a DuckDB file needs the extra: pip install 'recollect[duckdb]'"
        ) from None
    if not path.is_file():
        raise ConfigurationError(f"MEMORY_SQL_DATABASE: there is no file {path}")
    return DuckDatabase(path, timeout=timeout)


def _open_url(address: str, timeout: float) -> Database:
    from recollect.answerers.sql_database.alchemy import (  # noqa: PLC0415  # takes 0.2 s
        SqlAlchemyDatabase,
    )

    try:
        url = make_url(address)
        if url.drivername in {"postgresql", "postgres"}:
            url = url.set(drivername="postgresql+asyncpg")
        return SqlAlchemyDatabase(url, timeout=timeout)
    except (exc.ArgumentError, exc.NoSuchModuleError, ModuleNotFoundError) as error:
        reason = f"needs {error.name}" if isinstance(error, ModuleNotFoundError) else "is no URL"
        raise ConfigurationError(
            f"MEMORY_SQL_DATABASE {reason}; give an SQLAlchemy URL whose driver is installed, "
            "such as postgresql://user:password@host/database, or the path of a DuckDB file"
        ) from None
