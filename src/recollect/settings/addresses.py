"""The address of a memory, as a command takes it: which engine, and where."""

from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from recollect.errors import InvalidInput
from recollect.settings import EngineKind, Settings, load_settings

_POSTGRESQL: Final = ("postgresql", "postgres", "postgresql+psycopg", "postgresql+asyncpg")
_FORMS: Final = (
    "must be postgresql://user@host/database, dynamodb://table?region=eu-west-1, or "
    "embedded:/folder of the embedded PostgreSQL"
)
_OF_TABLE: Final = {"region": "dynamodb_region", "endpoint": "dynamodb_endpoint_url"}


def settings_at(address: str, *, option: str) -> Settings:
    """The settings of the environment, but with the engine that the address names.

    Raises:
        InvalidInput: it is no address of a memory; `option` names it in the error.
    """
    scheme, separator, rest = address.strip().partition(":")
    match scheme.lower():
        case "embedded" if separator:
            home = {"home": Path(rest).expanduser()} if rest else {}
            return load_settings(engine=EngineKind.POSTGRESQL, db_connection_string=None, **home)
        case "dynamodb" if rest.startswith("//"):
            return _settings_of_table(address.strip(), option)
        case name if name in _POSTGRESQL and rest.startswith("//"):
            return load_settings(engine=EngineKind.POSTGRESQL, db_connection_string=address.strip())
    raise InvalidInput(option, _FORMS)


def _settings_of_table(address: str, option: str) -> Settings:
    parts = urlsplit(address)
    given = parse_qsl(parts.query, keep_blank_values=True)
    unknown = {name for name, _ in given} - _OF_TABLE.keys()
    if unknown or not parts.netloc or parts.path not in {"", "/"}:
        raise InvalidInput(
            option,
            "must be dynamodb://table, with ?region=eu-west-1 and &endpoint=http://host:port "
            "where the AWS environment does not say them",
        )
    return load_settings(
        engine=EngineKind.DYNAMODB,
        dynamodb_table=unquote(parts.netloc),
        **{_OF_TABLE[name]: value for name, value in given if value},
        # What only a PostgreSQL can have; the other side of a copy may be one.
        db_connection_string=None,
    )
