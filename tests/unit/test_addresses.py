"""The addresses of memories that `recollect copy` takes."""

from base64 import b64encode
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.errors import ConfigurationError, InvalidInput
from recollect.interfaces.cli.main import app
from recollect.settings import EngineKind
from recollect.settings.addresses import settings_at


def test_an_address_names_the_engine_and_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_ENGINE", "dynamodb")
    monkeypatch.setenv("MEMORY_DYNAMODB_REGION", "eu-west-1")
    table = settings_at("dynamodb://T.1?endpoint=http://127.0.0.1:8000", option="--from")
    assert (table.engine, table.dynamodb_table) == (EngineKind.DYNAMODB, "T.1")
    assert table.dynamodb_endpoint_url == "http://127.0.0.1:8000"
    assert table.dynamodb_region == "eu-west-1"
    folder = settings_at("embedded:/var/memory", option="--from")
    assert folder.embedded_home == Path("/var/memory")
    server = settings_at("postgresql://me:secret@host/db", option="--from")
    assert server.engine is EngineKind.POSTGRESQL
    assert server.db_connection_string is not None
    assert server.db_connection_string.get_secret_value() == "postgresql://me:secret@host/db"


def test_a_copy_encrypts_what_it_reads_from_an_encrypted_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMORY_ENCRYPTION_KEY", b64encode(b"a" * 32).decode())
    monkeypatch.setenv("MEMORY_VECTOR_STORE", "chroma")
    assert settings_at("embedded:", option="--from").encryption_key is not None
    assert settings_at("dynamodb://table", option="--to").encryption_key is not None


@pytest.mark.parametrize(
    ("source", "target", "problem"),
    [
        ("mysql://host/db", "dynamodb://table", "--from must be postgresql://"),
        ("embedded:", "table", "--to must be postgresql://"),
        ("embedded:", "dynamodb://table?zone=x", "--to must be dynamodb://table, with ?region="),
        ("dynamodb://table", "dynamodb://table", "--to must be another memory"),
        ("embedded:/nowhere", "dynamodb://table", "there is no memory in the folder /nowhere"),
    ],
)
def test_what_is_no_memory_is_refused(source: str, target: str, problem: str) -> None:
    done = CliRunner().invoke(app, ["copy", "--from", source, "--to", target])
    assert isinstance(done.exception, InvalidInput | ConfigurationError)
    assert problem in done.exception.explanation
