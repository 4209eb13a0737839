import pytest

from recollect.engines.postgres.connection.database import as_application, display, normalise
from recollect.errors import ConfigurationError


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://u:p@host:5433/db?sslmode=require",
        "postgres://u:p@host:5433/db?sslmode=require",
        "postgresql+psycopg://u:p@host:5433/db?sslmode=require",
        " postgresql+asyncpg://u:p@host:5433/db?sslmode=require ",
    ],
)
def test_every_usual_form_becomes_the_drivers(text: str) -> None:
    assert normalise(text) == "postgresql://u:p@host:5433/db?sslmode=require"


@pytest.mark.parametrize("text", ["mysql://host/db", "host=localhost", "", "postgresql"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="postgresql://"):
        normalise(text)


def test_the_application_keeps_the_parameters_and_steps_down() -> None:
    dsn = as_application("postgresql://u:p@host/db?sslmode=require")
    assert dsn.startswith("postgresql://u:p@host/db?sslmode=require&")
    assert "role=recollect_app" in dsn


def test_the_application_logs_in_itself_where_it_may() -> None:
    dsn = as_application("postgresql://postgres@/postgres?host=/run", logs_in=True)
    assert dsn.startswith("postgresql://recollect_app@/postgres?")


def test_a_password_is_never_shown() -> None:
    assert display("postgresql://u:p%40ss@host/db") == "postgresql://u:***@host/db"
