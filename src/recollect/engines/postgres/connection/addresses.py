"""The address of a PostgreSQL server, and how the application connects to it."""

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from recollect.errors import ConfigurationError

APP_ROLE: Final = "recollect_app"
SEARCH_PATH: Final = "recollect, public"
_SCHEMES: Final = ("postgresql", "postgres", "postgresql+psycopg", "postgresql+asyncpg")


def normalise(text: str) -> str:
    """Turn a connection string of any usual form into the driver's."""
    scheme, separator, rest = text.strip().partition("://")
    if not separator or scheme.lower() not in _SCHEMES:
        raise ConfigurationError(
            "MEMORY_DB_CONNECTION_STRING must start with postgresql:// or postgresql+psycopg://"
        )
    return f"postgresql://{rest}"


def as_application(dsn: str, *, logs_in: bool = False) -> str:
    """The same server, worked on as the role that every policy binds.

    That role is what the connection starts with, so that no reset undoes it: it logs in itself
    where it may, elsewhere the given user steps down to it.
    """
    parts = urlsplit(dsn)
    query = [*parse_qsl(parts.query), ("search_path", SEARCH_PATH)]
    if logs_in:
        parts = parts._replace(netloc=f"{APP_ROLE}@{parts.netloc.rpartition('@')[2]}")
    else:
        query.append(("role", APP_ROLE))
    return urlunsplit(parts._replace(query=urlencode(query)))


def display(dsn: str) -> str:
    """The connection string without its password, for people and logs."""
    parts = urlsplit(dsn)
    if parts.password is None:
        return dsn
    netloc = parts.netloc.replace(f":{parts.password}@", ":***@", 1)
    return urlunsplit(parts._replace(netloc=netloc))
