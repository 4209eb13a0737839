"""What the doctor says of everything outside that the settings name."""

import asyncio
import socket
import sqlite3
from base64 import b64encode
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from recollect.interfaces.cli.doctor import access, answers, models, storage
from recollect.interfaces.cli.doctor.findings import Finding
from recollect.settings import Settings, load_settings
from support.doubles.chat_endpoint import Reply, chat_double
from support.doubles.denodo_sdk import denodo_double
from support.doubles.embedding_endpoint import embedding_double
from support.doubles.opensearch import running_opensearch
from support.servers.http_servers import free_port
from support.tables import for_each

Check = Callable[[Settings], Iterable[Finding]]
OPENSEARCH = {"vector_store": "opensearch", "vector_store_url": "http://127.0.0.1:9"}


async def findings_of(check: Check, **settings: object) -> list[tuple[str, str]]:
    """The status and what was found; a program of its own asks, as a thread does here."""
    findings = await asyncio.to_thread(lambda: [*check(load_settings(**settings))])
    assert all(one.advice for one in findings if one.status != "ok")
    return [(str(one.status), one.found) for one in findings]


@for_each(
    "check",
    [
        *(answers.check_model, answers.check_denodo, storage.check_vectors),
        *(access.check_permissions, access.check_token_keys, answers.check_sql_database),
    ],
)
async def test_services_that_are_not_configured_are_not_checked(check: Check) -> None:
    assert await findings_of(check) == []


@pytest.mark.parametrize(
    ("check", "settings"),
    [
        (answers.check_model, {"llm_base_url": "http://127.0.0.1:9/v1"}),
        (answers.check_denodo, {"denodo_url": "http://127.0.0.1:9"}),
        (
            models.check_embedder,
            {"embedding_model": "m", "embedding_base_url": "http://127.0.0.1:9/v1"},
        ),
        (storage.check_vectors, OPENSEARCH),
        (access.check_permissions, {"permissions": "http://127.0.0.1:9/permissions"}),
        (access.check_permissions, {"permissions": "file:/there/is/no/such.json"}),
        (access.check_permissions, {"permissions": "denodo:http://127.0.0.1:9/c?databases=a"}),
        (access.check_token_keys, {"jwt_jwks_url": "http://127.0.0.1:9/keys"}),
        (answers.check_sql_database, {"sql_database": "postgresql://u:secret@127.0.0.1:9/db"}),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
async def test_a_configured_service_that_does_not_answer_fails_its_check(
    check: Check, settings: dict[str, object]
) -> None:
    ((status, text),) = await findings_of(check, **settings)

    assert status == "failed"
    assert "secret" not in text


@for_each(
    ("model", "reply", "status", "words"),
    [
        ("m", Reply(), "ok", "has m"),
        (None, Reply(), "ok", "answers"),
        ("n", Reply(), "warning", "does not list n"),
        ("m", Reply(status=401), "failed", "status 401"),
        ("m", Reply(status=404), "warning", "lists no models"),
        ("m", Reply(status=500), "failed", "status 500"),
    ],
)
async def test_the_endpoint_of_the_models_is_asked_for_the_model(
    model: str | None, reply: Reply, status: str, words: str
) -> None:
    async with chat_double(reply) as endpoint:
        settings = {"llm_base_url": endpoint.url, "llm_model": model, "llm_api_key": "k"}
        ((told, text),) = await findings_of(answers.check_model, **settings)

    assert told == status
    assert words in text
    assert endpoint.requests[0].headers["authorization"] == "Bearer k"


async def test_configured_services_that_answer_pass_their_checks(tmp_path: Path) -> None:
    permitted, shop = tmp_path / "permissions.toml", tmp_path / "shop.sqlite"
    permitted.write_text("[tenants.acme.everyone]\ntables = ['sales']\n")
    sqlite3.connect(shop).close()
    async with (
        embedding_double() as embedder,
        denodo_double() as denodo,
        running_opensearch() as opensearch,
    ):
        settings = {"embedding_model": "m", "embedding_base_url": embedder.url}
        told = [
            *await findings_of(models.check_embedder, **settings),
            *await findings_of(answers.check_denodo, denodo_url=denodo.url),
            *await findings_of(
                storage.check_vectors, **{**OPENSEARCH, "vector_store_url": opensearch.url}
            ),
            *await findings_of(access.check_permissions, permissions=f"file:{permitted}"),
            *await findings_of(answers.check_sql_database, sql_database=f"sqlite:///{shop}"),
        ]

    assert [status for status, _ in told] == ["ok"] * len(told)
    assert "in 3 dimensions" in told[0][1]


async def test_no_embedder_is_no_failure() -> None:
    ((status, text),) = await findings_of(models.check_embedder, embedding_model="none")

    assert (status, "words alone" in text) == ("ok", True)


async def test_an_address_that_is_in_use_is_no_failure_but_one_of_another_machine_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        place = f"127.0.0.1:{other.getsockname()[1]}"
        (found,) = await findings_of(access.check_address, port=other.getsockname()[1])
    assert found == ("warning", f"a program listens on {place} already")
    assert (await findings_of(access.check_address, port=free_port()))[0][0] == "ok"
    ((status, text),) = await findings_of(
        access.check_address, host="192.0.2.1", port=80, user_id_source="api_key"
    )
    assert (status, text) == (
        "failed",
        "cannot listen on 192.0.2.1:80: Cannot assign requested address",
    )


async def test_an_address_without_a_listener_is_reported_as_unreachable() -> None:
    address = f"denodo:http://127.0.0.1:{free_port()}/c?databases=a"
    ((_, text),) = await findings_of(access.check_permissions, permissions=address)

    assert text == "cannot be reached (ConnectionRefusedError)"


@pytest.mark.parametrize(
    "half", [{"llm_base_url": "http://127.0.0.1:9/v1"}, {"llm_model": "llama3.2:3b"}], ids=str
)
async def test_half_of_a_model_is_a_warning_unless_memory_is_to_answer(
    half: dict[str, object],
) -> None:
    ((status, found),) = await findings_of(answers.check_answers, **half)
    assert (status, "quotes from memory" in found) == ("warning", True)
    meant = await findings_of(answers.check_answers, answerer="from_memory", **half)
    assert [status for status, _ in meant] == ["ok"]


async def test_a_superuser_is_warned_of_but_not_in_the_embedded_database(
    admin_dsn: str, shared_home: Path
) -> None:
    role = f"recollect_test_{uuid4().hex}"
    administrator = await asyncpg.connect(admin_dsn)
    await administrator.execute(f"CREATE ROLE {role} LOGIN")
    await administrator.execute(f"GRANT recollect_app TO {role}")
    url = urlsplit(admin_dsn)
    own = urlunsplit(url._replace(netloc=f"{role}@{url.netloc.rpartition('@')[2]}"))
    try:
        told = {
            name: await findings_of(storage.check_database, **settings)
            for name, settings in {
                "superuser": {"db_connection_string": admin_dsn},
                "own role": {"db_connection_string": own},
                "embedded": {"home": str(shared_home)},
            }.items()
        }
    finally:
        await administrator.execute(f"DROP ROLE {role}")
        await administrator.close()
    warned = {name for name, found in told.items() if "superuser" in str(found)}
    assert warned == {"superuser"}
    assert "warning" not in {status for status, _ in told["own role"]}


async def test_of_encryption_nothing_is_told_where_no_database_answers() -> None:
    key = f"k:{b64encode(bytes(32)).decode()}"
    dsn = f"postgresql://u:secret@127.0.0.1:{free_port()}/db"
    settings = {"db_connection_string": dsn, "encryption_key": key}
    assert await findings_of(storage.check_encryption, **settings) == []
    ((status, _),) = await findings_of(storage.check_database, **settings)
    assert status == "failed"


async def test_an_archive_is_a_folder_that_can_be_written_to(tmp_path: Path) -> None:
    for folder, status in ((tmp_path, "ok"), (tmp_path / "missing", "failed")):
        ((told, _),) = await findings_of(storage.check_archive, archive=f"folder:{folder}")
        assert told == status
