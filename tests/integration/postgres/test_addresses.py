import pytest

from recollect.engines.postgres.connection.addresses import as_application, display, normalise
from recollect.errors import ConfigurationError
from support.tables import for_each


@for_each(
    "text",
    [
        "postgresql://u:p@host:5433/db?sslmode=require",
        "postgres://u:p@host:5433/db?sslmode=require",
        "postgresql+psycopg://u:p@host:5433/db?sslmode=require",
        " postgresql+asyncpg://u:p@host:5433/db?sslmode=require ",
    ],
)
def test_every_common_form_of_address_is_normalised_for_the_driver(text: str) -> None:
    assert normalise(text) == "postgresql://u:p@host:5433/db?sslmode=require"


@for_each("text", ["mysql://host/db", "host=localhost", "", "postgresql"])
def test_an_address_that_is_no_postgresql_url_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="postgresql://"):
        normalise(text)


def test_the_application_address_keeps_its_parameters_and_sets_the_role() -> None:
    dsn = as_application("postgresql://u:p@host/db?sslmode=require")
    assert dsn.startswith("postgresql://u:p@host/db?sslmode=require&")
    assert "role=recollect_app" in dsn


def test_the_application_address_can_log_in_as_the_application_role() -> None:
    dsn = as_application("postgresql://postgres@/postgres?host=/run", logs_in=True)
    assert dsn.startswith("postgresql://recollect_app@/postgres?")


def test_a_password_is_never_shown() -> None:
    assert display("postgresql://u:p%40ss@host/db") == "postgresql://u:***@host/db"
