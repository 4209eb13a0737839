"""Which extra installs a package that only some installations need."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

from recollect.errors import ConfigurationError

EXTRAS: Final = {
    "aiohttp": "http",
    "botocore": "dynamodb",
    "certifi": "http",
    "chromadb": "chroma",
    "cryptography": "encryption",
    "duckdb": "duckdb",
    "fastapi": "server",
    "httptools": "server",
    "httpx": "chroma",
    "jwt": "server",
    "obstore": "s3",
    "opentelemetry": "otel",
    "presidio_analyzer": "names",
    "prometheus_client": "metrics",
    "prompt_toolkit": "cli",
    "rich": "cli",
    "spacy": "names",
    "sqlalchemy": "sql",
    "starlette": "server",
    "typer": "cli",
    "uvicorn": "server",
    "uvloop": "server",
    "yarl": "http",
    "zstandard": "archive",
}
"""The extra of `pyproject.toml` that installs each importable package."""


def require(package: str, purpose: str) -> None:
    """Raise a `ConfigurationError` that names the extra to install if a package is missing."""
    if find_spec(package) is None:
        raise _missing(package, purpose)


@contextmanager
def named_extra(purpose: str) -> Iterator[None]:
    """Turn the import error of an extra's package into one that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        raise _missing(package, purpose) from None


def _missing(package: str, purpose: str) -> ConfigurationError:
    return ConfigurationError(
        f"{purpose} needs the package {package}: pip install 'recollect[{EXTRAS[package]}]'"
    )
