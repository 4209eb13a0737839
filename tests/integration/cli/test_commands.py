"""The program as a user runs it: a process of its own, on a folder of its own."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

import asyncpg
import httpx
import pytest
import pytest_asyncio
from typer.main import get_command
from typer.testing import CliRunner

from recollect import Memory
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import NewSession, session_id_from
from recollect.domain.identity.scope import Scope
from recollect.engines.postgres.connection.database import Database
from recollect.engines.postgres.migrations import HEAD
from recollect.errors import ConfigurationError, InvalidInput
from recollect.interfaces.cli.main import app
from recollect.interfaces.cli.output import memory_place
from recollect.interfaces.http.app import create_app
from recollect.services.services import Services
from recollect.settings import load_settings
from support.servers.http_servers import free_port, serving
from support.servers.programs import run_recollect
from support.timeouts import PATIENCE

NOBODYS = "00000000-0000-4000-8000-000000000000"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(shared_home: Path, database: Database) -> Run:
    """Run a command on the shared server."""

    def run_command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
        folder, port = str(shared_home), str(free_port())
        usual = {
            "MEMORY_HOME": folder,
            "MEMORY_PORT": port,
            "MEMORY_EMBEDDING_MODEL": "none",  # to load it takes longer than the command
            "COLUMNS": "160",
        }
        return run_recollect(*words, env={**usual, **env})

    return run_command


def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(run: Run) -> None:
    tenant = f"tenant-{uuid4()}"
    made = run("keys", "create", "--name", "web", "--scope", "service", "--tenant", tenant)
    text = made.stdout.splitlines()[0]
    assert text.startswith("rec_")
    listed = run("keys", "list", "--tenant", tenant, "--json")
    (key,) = json.loads(listed.stdout)["items"]
    assert key["name"] == "web"
    assert "secret" not in listed.stdout
    assert text not in listed.stdout
    assert run("keys", "revoke", key["key_id"], "--tenant", tenant).returncode == 0
    (key,) = json.loads(run("keys", "list", "--tenant", tenant, "--json").stdout)["items"]
    assert key["revoked_at"].endswith("Z")
    log = json.loads(run("audit", "list", "--tenant", tenant, "--json").stdout)["items"]
    assert [(entry["action"], entry["actor"], entry["interface"]) for entry in log] == [
        ("api_key.read", "cli", "cli"),
        ("api_key.revoked", "cli", "cli"),
        ("api_key.read", "cli", "cli"),
        ("api_key.created", "cli", "cli"),
    ]
    filters = ("--action", "api_key.revoked", "--since", "2020-01-01", "--limit", "1")
    shown = run("audit", "list", "--tenant", tenant, *filters).stdout.splitlines()
    assert len(shown) == 2
    assert key["key_id"] in shown[1]
    report = json.loads(run("audit", "verify", "--tenant", tenant, "--json").stdout)
    assert report == {"chains": 1, "entries": 6, "broken": None}


def test_settings_of_a_tenant_are_set_shown_and_listed(run: Run) -> None:
    tenant = f"tenant-{uuid4()}"
    refused = run("tenants", "set", tenant, "facts=off", "retention=soon")
    assert refused.returncode == 1
    assert "retention must be none, fixed:DAYS" in refused.stderr
    made = run("tenants", "set", tenant, "facts=off", "MEMORY_RETENTION=fixed:7", "--json")
    report = json.loads(made.stdout)
    assert (report["version"], report["settings"]["facts"]) == (1, False)
    assert report["effective"]["retention"] == "fixed:7"
    assert re.search(rf"{tenant} +1 ", run("tenants", "list").stdout)


def test_no_command_can_name_the_system_tenant(run: Run) -> None:
    for command in (
        ("keys", "create", "--name", "web", "--scope", "service"),
        ("sessions", "list"),
        ("audit", "list"),
    ):
        refused = run(*command, "--tenant", "$system")
        assert refused.returncode == 1
        assert "reserved for the system tenant" in refused.stderr
        assert "Traceback" not in refused.stderr


def test_a_narrow_terminal_cuts_no_id_off(run: Run) -> None:
    tenant = f"tenant-{uuid4()}"
    made = run("keys", "create", "--name", "web", "--scope", "service", "--tenant", tenant)
    key_id = made.stdout.split()[-1].rstrip(".")
    listed = run("keys", "list", "--tenant", tenant, COLUMNS="60").stdout
    assert key_id in listed
    assert {"web", "service", "revoked_at"} <= {*listed.split()}


def test_a_key_of_scope_user_needs_a_user(run: Run) -> None:
    refused = run("keys", "create", "--name", "x", "--scope", "user", "--json")
    assert refused.returncode == 1
    assert "user" in json.loads(refused.stderr)["error"]


async def test_sessions_are_listed_shown_and_deleted(run: Run, memory: Memory) -> None:
    user = f"user-{uuid4()}"
    session = await memory.session(user=user)
    await session.add_exchange("How much?", "2.5M", sql_query="SELECT 1")
    listed = run("sessions", "list", "--user", user)
    assert str(session.id) in listed.stdout
    assert "How much?" in listed.stdout
    shown = json.loads(run("sessions", "show", str(session.id), "--user", user, "--json").stdout)
    assert [message["content"] for message in shown["items"]] == ["How much?", "2.5M"]
    assert shown["items"][1]["sql_query"] == "SELECT 1"
    deleted = run("sessions", "delete", str(session.id), "--user", user, "--yes", "--json")
    assert json.loads(deleted.stdout) == {"deleted": str(session.id)}
    assert json.loads(run("sessions", "list", "--user", user, "--json").stdout) == {
        "items": [],
        "next_cursor": None,
    }


def test_values_of_a_profile_are_set_merged_shown_and_deleted(run: Run) -> None:
    user = ("--user", f"user-{uuid4()}")
    assert run("profile", "set", "units", '{"length": "km"}', *user).stdout.count("km") == 1
    merged = json.loads(run("profile", "merge", "units", '{"mass": 1.0}', *user, "--json").stdout)
    assert merged["value"] == {"length": "km", "mass": 1.0}
    assert json.loads(run("profile", "get", "units", *user).stdout) == merged["value"]
    outdated = run("profile", "set", "units", "1", "--version", "1", *user, "--json")
    assert outdated.returncode == 1
    assert "version 1 was expected" in json.loads(outdated.stderr)["error"]
    assert run("profile", "set", "plan", "NaN", *user).stdout == '"NaN"\n', "it is no JSON"
    listed = run("profile", "list", *user, COLUMNS="200").stdout
    assert '"NaN"' in listed
    assert '{"length": "km", "mass": 1.0}' in listed
    assert run("profile", "delete", "plan", *user).returncode != 0, "without a yes"
    assert run("profile", "delete", "plan", *user, "--yes").returncode == 0
    missing = run("profile", "get", "plan", *user)
    assert (missing.returncode, missing.stderr) == (1, "recollect: no profile key of that name\n")
    asked = run("profile", "clear", *user)
    assert f"profile of the user '{user[1]}' of the tenant 'default'?" in asked.stderr
    cleared = run("profile", "clear", *user, "--yes", "--json")
    assert json.loads(cleared.stdout) == {"deleted": 1}


def test_facts_are_added_shown_changed_forgotten_and_restored(run: Run) -> None:
    user = ("--user", f"user-{uuid4()}")
    added = run("facts", "add", "We report in euros.", "--type", "procedure", *user, "--json")
    fact_id = json.loads(added.stdout)["fact_id"]
    again = run("facts", "add", "we report in euros", *user)
    assert (again.returncode, fact_id in again.stderr) == (1, True)
    run("facts", "edit", fact_id, "--priority", "critical", "--version", "1", *user)
    run("facts", "forget", fact_id, *user)
    assert run("facts", "list", *user).stdout == "nothing of the kind is known\n"
    assert "is restored" in run("facts", "restore", fact_id, *user).stdout
    shown = run("facts", "show", fact_id, *user, COLUMNS="200").stdout
    assert "procedure, critical, active" in shown
    assert shown.count("We report in euros.") == 5, "and four lines of history"
    listed = json.loads(run("facts", "list", "--search", "euros", *user, "--json").stdout)
    assert [fact["fact_id"] for fact in listed["items"]] == [fact_id]
    assert run("facts", "forget", fact_id, "--erase", *user).returncode != 0, "without a yes"
    assert json.loads(run("facts", "stats", *user, "--json").stdout)["total"] == 1
    asked = run("facts", "clear", *user)
    assert f"facts about the user '{user[1]}' of the tenant 'default' with" in asked.stderr
    assert json.loads(run("facts", "clear", "--yes", *user, "--json").stdout) == {"deleted": 1}


def test_facts_are_exported_to_a_file_and_imported_from_it(run: Run, tmp_path: Path) -> None:
    alice, bob = (("--user", f"user-{uuid4()}") for _ in range(2))
    file = tmp_path / "facts.json"
    run("facts", "add", "Wij rapporteren in €.", *alice)
    exported = run("facts", "export", str(file), *alice)
    assert exported.stdout == f"1 facts are in {file}\n"
    assert json.loads(run("facts", "export", *alice).stdout) == json.loads(file.read_text("utf-8"))
    reports = [run("facts", "import", str(file), *bob, "--json").stdout for _ in range(2)]
    assert [json.loads(report)["added"] for report in reports] == [1, 0]
    file.write_text("{}")
    refused = run("facts", "import", str(file), *bob)
    assert (refused.returncode, "must have a list of facts" in refused.stderr) == (1, True)


@pytest.mark.parametrize("name", ["all.json", "all.zip"])
async def test_everything_is_exported_to_a_file_and_imported_from_it(
    run: Run, memory: Memory, tmp_path: Path, name: str
) -> None:
    alice, bob = (f"user-{uuid4()}" for _ in range(2))
    session = await memory.session(user=alice, name="Verkoop €")
    await session.add_exchange("Sales?", "2.5M")
    file = tmp_path / name
    exported = run("export", str(file), "--user", alice)
    assert exported.stdout == f"1 sessions, 2 messages, 0 facts are in {file}\n"
    assert os.listdir(tmp_path) == [name], "nothing unfinished is left"  # noqa: PTH208  # a test may wait for a disk
    assert file.stat().st_mode & 0o077 == 0, "nobody else may read it"
    imported = run("import", str(file), "--user", bob)
    assert imported.stdout == "1 sessions, 2 messages, 0 facts are added\n"
    again = json.loads(run("import", str(file), "--user", bob, "--json").stdout)
    assert again["messages"] == {"added": 0, "known": 2, "conflicting": 0}
    copy = await memory.session(session.id, user=bob)
    assert [message.content for message in await copy.last()] == ["Sales?", "2.5M"]


async def test_an_export_replaces_a_file_with_force_alone(
    run: Run, memory: Memory, tmp_path: Path
) -> None:
    user, file = f"user-{uuid4()}", tmp_path / "all.json"
    await memory.session(user=user)
    file.write_text("of last week")
    refused = run("export", str(file), "--user", user)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"recollect: file '{file}' is there already: --force replaces it\n"
    assert file.read_text() == "of last week"
    replaced = run("export", str(file), "--user", user, "--force")
    assert replaced.returncode == 0, replaced.stderr
    assert len(json.loads(file.read_text("utf-8"))["sessions"]) == 1


@pytest.mark.parametrize("name", ["all.json", "all.zip", "-"])
def test_nothing_is_exported_of_a_user_of_whom_nothing_is_stored(
    run: Run, shared_home: Path, tmp_path: Path, name: str
) -> None:
    user, file = f"user-{uuid4()}", tmp_path / name
    file.write_text("of last week")
    words = ("export", name if name == "-" else str(file), "--user", user, "--force")
    for _ in range(2):  # the audit log has the first one
        refused = run(*words)
        assert (refused.returncode, refused.stdout) == (1, "")
        problem = f"user '{user}' of the tenant 'default' has nothing stored in the folder"
        assert f"recollect: {problem} {shared_home}: nothing was written" in refused.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["of last week"]


def test_a_profile_or_a_key_alone_is_exported(run: Run) -> None:
    with_profile, with_key = f"user-{uuid4()}", f"user-{uuid4()}"
    run("profile", "set", "language", "nl", "--user", with_profile)
    run("keys", "create", "--name", "phone", "--user", with_key, "--scope", "user")
    document = json.loads(run("export", "-", "--user", with_profile).stdout)
    assert [item["key"] for item in document["profile"]] == ["language"]
    document = json.loads(run("export", "-", "--user", with_key).stdout)
    assert [key["name"] for key in document["api_keys"]] == ["phone"]


def test_an_export_that_cannot_be_written_or_read_is_told(run: Run, tmp_path: Path) -> None:
    user = ("--user", f"user-{uuid4()}")
    missing = tmp_path / "no folder" / "all.json"
    for words in (("export", str(missing)), ("import", str(missing))):
        refused = run(*words, *user)
        assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
        assert f"file '{missing}' cannot be" in refused.stderr
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "recollect-export", "version": 1,\n"facts": [{]}')
    refused = run("import", str(broken), *user)
    assert (refused.returncode, "line 2 is no JSON" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("sessions", "list", "--wrong"), "No such option: --wrong"),
        (("sessions", "show"), "Missing argument 'session_id'"),
        (("sessions", "list", "--limit", "no"), "Invalid value for '--limit'"),
        (("nothing",), "No such command 'nothing'"),
    ],
)
def test_misuse_of_a_command_is_told_in_json_with_the_same_exit_code(
    run: Run, words: tuple[str, ...], error: str
) -> None:
    for_people, for_programs = run(*words), run(*words, "--json")
    assert (for_people.returncode, for_programs.returncode) == (2, 2)
    assert error.split("'", maxsplit=1)[0].strip() in for_people.stderr
    assert for_programs.stdout == ""
    told = json.loads(for_programs.stderr)["error"]
    assert told.startswith(error)
    assert told.endswith(" --help'")


def test_with_json_exit_codes_and_answers_are_as_without_it(run: Run) -> None:
    shown = run("sessions", "list", "--json", "--help")
    assert (shown.returncode, "Usage:" in shown.stdout, shown.stderr) == (0, True, "")
    unanswered = run("profile", "clear", "--json")
    assert unanswered.returncode == 1
    assert '"error": "aborted"' in unanswered.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("profile", "delete", "language"),
        ("facts", "forget", NOBODYS, "--erase"),
        ("sessions", "delete", NOBODYS),
    ],
)
def test_a_question_before_a_deletion_names_whose_it_is(run: Run, words: tuple[str, ...]) -> None:
    asked = run(*words, "--user", "alice", "--tenant", "acme")
    assert asked.returncode == 1
    assert f"{words[2]} " in asked.stderr
    assert "the user 'alice' of the tenant 'acme' for good?" in asked.stderr


async def test_an_export_that_nobody_reads_on_ends_quietly_and_is_recorded(
    memory: Memory, shared_home: Path
) -> None:
    user = f"user-{uuid4()}"
    session = await memory.session(user=user)
    for number in range(4):
        await session.add("user", f"{number} " + "long " * 20_000)
    words = ("export", "-", "--user", user)
    read, error, code = await asyncio.to_thread(read_some, words, shared_home)
    assert (len(read), error, code) == (9, b"", -signal.SIGPIPE)
    log = await memory.services.audit.entries(Scope(tenant="default", user=user), limit=9)
    assert "memory.exported" in {entry.action for entry in log}


@pytest.mark.parametrize(
    "words", [("sessions", "list"), ("sessions", "list", "--json"), ("--help",)]
)
def test_a_list_that_nobody_reads_ends_as_other_programs_do(
    run: Run, shared_home: Path, words: tuple[str, ...]
) -> None:
    run("profile", "set", "language", '"nl"')
    _, error, code = read_some(words, shared_home, number=0)
    assert (error, code) == (b"", -signal.SIGPIPE)


def read_some(words: tuple[str, ...], home: Path, *, number: int = 9) -> tuple[bytes, bytes, int]:
    """Run a command, close its output after some bytes, and return them, its errors and its end."""
    command = [sys.executable, "-m", "recollect", *words]
    env = {**os.environ, "MEMORY_HOME": str(home)}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        read = process.stdout.read(number)
        process.stdout.close()
        return read, process.stderr.read(), process.wait(PATIENCE)


def test_facts_are_exported_to_a_file_that_is_there_with_force_alone(
    run: Run, shared_home: Path, tmp_path: Path
) -> None:
    user, nobody, file = f"user-{uuid4()}", f"user-{uuid4()}", tmp_path / "facts.json"
    run("facts", "add", "We report in euros.", "--user", user)
    file.write_text("of last week")
    refused = run("facts", "export", str(file), "--user", user)
    assert (refused.returncode, "--force replaces it" in refused.stderr) == (1, True)
    for name in (str(file), "-"):
        refused = run("facts", "export", name, "--user", nobody, "--force")
        assert (refused.returncode, refused.stdout) == (1, "")
        problem = f"user '{nobody}' of the tenant 'default' has no facts stored in the folder"
        assert f"recollect: {problem} {shared_home}: nothing was written" in refused.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["of last week"]
    replaced = run("facts", "export", str(file), "--user", user, "--force")
    assert replaced.stdout == f"1 facts are in {file}\n"
    assert len(json.loads(file.read_text("utf-8"))["facts"]) == 1


@pytest.mark.parametrize(
    "words",
    [
        *(("sessions", "list"), ("facts", "stats"), ("profile", "list"), ("users", "list")),
        *(("keys", "list"), ("tenants", "list"), ("audit", "verify"), ("recall", "Hello?")),
        *(("export", "-"), ("facts", "export"), ("encryption", "status"), ("cleanup",)),
        *(("erase", "--yes"), ("tenants", "unset", "acme", "--yes")),
    ],
    ids=" ".join,
)
def test_a_command_that_stores_nothing_starts_no_memory(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    refused = run_recollect(*words, env={"MEMORY_HOME": str(tmp_path)})
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"there is no memory in the folder {tmp_path}" in refused.stderr
    assert [*tmp_path.iterdir()] == []


async def test_a_command_that_stores_nothing_prepares_no_database(admin_dsn: str) -> None:
    name = f"empty_{uuid4().hex}"
    administrator = await asyncpg.connect(admin_dsn)
    await administrator.execute(f"CREATE DATABASE {name}")
    dsn = admin_dsn.replace("@/postgres?", f"@/{name}?")
    try:
        env = {"MEMORY_DB_CONNECTION_STRING": dsn}
        refused = await asyncio.to_thread(run_recollect, "sessions", "list", env=env)
        inside = await asyncpg.connect(dsn)
        schema = await inside.fetchval("SELECT to_regnamespace('recollect')")
        await inside.close()
    finally:
        await administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await administrator.close()
    assert (refused.returncode, "the database has no memory" in refused.stderr) == (1, True)
    assert schema is None


def test_what_needs_no_memory_works_without_one(tmp_path: Path) -> None:
    home, history = tmp_path / "home", tmp_path / "history.json"
    history.write_text('[{"role": "user", "content": "What were the sales of 2024?"}]')
    env = {"MEMORY_HOME": str(home)}
    rewritten = run_recollect("rewrite", "And of 2023?", "--history", str(history), env=env)
    assert rewritten.stdout == "What were the sales of 2023?\n", rewritten.stderr
    checked = run_recollect("doctor", "--json", env=env)
    (database,) = [one for one in json.loads(checked.stdout)["items"] if one["check"] == "database"]
    assert database["status"] == "ok"
    assert database["found"] == f"no memory yet in the folder {home}"
    assert not home.exists()


async def test_the_users_of_a_tenant_are_listed_in_pages(run: Run, services: Services) -> None:
    tenant = f"tenant-{uuid4()}"
    for user in ("alice", "bob"):
        scope = Scope(tenant=tenant, user=user)
        await services.sessions.start(scope, NewSession(session_id=uuid4()))
    words = ("users", "list", "--tenant", tenant)
    listed = json.loads(run(*words, "--json").stdout)
    assert {one["user"] for one in listed["items"]} == {"alice", "bob"}
    assert [(one["sessions"], one["messages"], one["facts"]) for one in listed["items"]] == [
        (1, 0, 0)
    ] * 2
    assert listed["items"][0]["last_active_at"].endswith("Z")
    assert listed["next_cursor"] is None
    first = run(*words, "--limit", "1")
    assert len(first.stdout.splitlines()) == 2
    cursor = first.stderr.split("--cursor ")[1].strip()
    second = run(*words, "--cursor", cursor)
    assert {line.split()[0] for one in (first, second) for line in one.stdout.splitlines()[1:]} == {
        "alice",
        "bob",
    }
    log = json.loads(run("audit", "list", "--tenant", tenant, "--json").stdout)["items"]
    assert [one["action"] for one in log if one["actor"] == "cli"].count("user.read") == 3
    assert run("users", "list", "--tenant", f"tenant-{uuid4()}").stdout == "no users yet\n"


async def test_everything_of_a_user_is_erased_and_the_receipt_is_verified(
    run: Run, memory: Memory, tmp_path: Path
) -> None:
    user, file = f"user-{uuid4()}", tmp_path / "receipt.json"
    session = await memory.session(user=user)
    await session.add_exchange("Where do I live, please?", "In Utrecht.")
    refused = run("erase", "--user", user)
    assert refused.returncode != 0, "without a yes"
    assert f"of the user '{user}' of the tenant 'default' in the folder " in refused.stderr
    assert await memory.history(user).count() == 2
    erased = run("erase", "--user", user, "--yes")
    assert erased.returncode == 0, erased.stderr
    receipt = json.loads(erased.stdout)
    assert (receipt["user"], receipt["erased"]["database"]["messages"]) == (user, 2)
    whose = f"everything of the user '{user}' of the tenant 'default'"
    assert erased.stderr == f"{whose} is erased; keep the receipt above\n"
    assert await memory.history(user).count() == 0
    file.write_text(erased.stdout)
    verified = run("erase", "--verify", str(file), "--json")
    assert json.loads(verified.stdout)["erasure_id"] == receipt["erasure_id"]
    file.write_text(erased.stdout.replace('"messages": 2', '"messages": 3'))
    altered = run("erase", "--verify", str(file))
    assert (altered.returncode, altered.stderr.count("\n")) == (1, 1)
    assert "was altered" in altered.stderr


def test_a_session_that_is_not_there_is_named_as_it_was_given(run: Run) -> None:
    refused = run("erase", "--user", "alice", "--session", "the trip", "--yes")
    whose = "the user 'alice' of the tenant 'default'"
    error = f"recollect: --session names no session of {whose}: 'the trip'\n"
    assert (refused.returncode, refused.stderr) == (1, error)


async def test_an_erasure_without_the_archive_of_the_user_names_what_is_missing(
    run: Run, memory: Memory, tmp_path: Path
) -> None:
    user, address = f"user-{uuid4()}", f"folder:{tmp_path}"
    session = await memory.session(user=user)
    await session.add_exchange("Where do I live, please?", "In Utrecht.")
    scope, notes = Scope(tenant="default", user=user), memory.services.erasing.archive_notes
    for archive in (address, f"{address}/deleted"):
        assert await notes.add(scope, archive, now=datetime.now(UTC))
    words = ("erase", "--user", user, "--yes", "--json")
    refused = run(*words)
    assert (refused.returncode, refused.stdout) == (1, "")
    error = json.loads(refused.stderr)["error"]
    assert "MEMORY_ARCHIVE" in error
    assert f"'{address}' and '{address}/deleted'" in error
    own = run("erase", "--forget-archive", f"{address}/", MEMORY_ARCHIVE=address)
    assert (own.returncode, "must not be the one that is set" in own.stderr) == (1, True)
    gone = run("erase", "--forget-archive", f"{address}/deleted/", MEMORY_ARCHIVE=address)
    assert gone.stdout == f"{address}/deleted is forgotten for 1 users\n"
    erased = run(*words, MEMORY_ARCHIVE=address)
    assert erased.returncode == 0, erased.stderr
    receipt = json.loads(erased.stdout)
    assert receipt["verification"]["remaining"]["archive"]["elsewhere"] == 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--user", "nobody"), "of the user 'nobody' of the tenant '{tenant}'"),
        (("--whole-tenant",), "of all users of the tenant '{tenant}'"),
    ],
)
def test_an_erasure_that_found_nothing_says_so_and_fails(
    run: Run, shared_home: Path, words: tuple[str, ...], what: str
) -> None:
    tenant = f"tenant-{uuid4()}"
    done = run("erase", *words, "--tenant", tenant, "--yes")
    assert done.returncode == 1
    assert json.loads(done.stdout)["tenant"] == tenant, "the receipt is printed all the same"
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"recollect: nothing {what.format(tenant=tenant)}")
    assert last.endswith(f"was stored in the folder {shared_home}: nothing was erased")


def test_an_erasure_of_what_is_old_may_find_nothing(run: Run) -> None:
    done = run("erase", "--before", "2020-01-31", "--tenant", f"tenant-{uuid4()}", "--yes")
    assert done.returncode == 0
    assert "nothing from before 2020-01-31 00:00:00 UTC of the user 'local'" in done.stderr


async def test_a_second_erasure_finds_nothing(run: Run, memory: Memory) -> None:
    user = f"user-{uuid4()}"
    await (await memory.session(user=user)).add_exchange("Sales?", "2.5M")
    codes = [run("erase", "--user", user, "--yes", "--json").returncode for _ in range(2)]
    assert codes == [0, 1]


async def test_a_part_or_a_tenant_is_erased(run: Run, memory: Memory) -> None:
    tenant, user = f"tenant-{uuid4()}", f"user-{uuid4()}"
    for name in ("chat-1", "chat-2"):
        session = await memory.session(name, user=user, tenant=tenant)
        await session.add_exchange(f"What is {name}?", "A chat.")
    owner = ("--user", user, "--tenant", tenant, "--yes")
    assert json.loads(run("erase", *owner, "--session", "chat-1").stdout)["what"] == "session"
    assert json.loads(run("erase", *owner, "--before", "2020-01-31").stdout)["what"] == "before"
    assert await memory.history(user, tenant=tenant).count() == 2
    wrong = run("erase", "--whole-tenant", *owner)
    assert (wrong.returncode, "goes with no --user" in wrong.stderr) == (1, True)
    whole = run("erase", "--whole-tenant", "--tenant", tenant, "--yes", "--json")
    assert json.loads(whole.stdout)["erased"]["tenant"] == {"users": 1}
    assert await memory.history(user, tenant=tenant).count() == 0


async def test_brackets_in_a_name_are_printed_and_not_read_as_markup(
    run: Run, memory: Memory
) -> None:
    user = f"user-{uuid4()}"
    await memory.session(user=user, name="[draft] with [/INST] in it")
    assert "[draft] with [/INST] in it" in run("sessions", "list", "--user", user).stdout


async def test_deleting_without_a_yes_deletes_nothing(run: Run, memory: Memory) -> None:
    user = f"user-{uuid4()}"
    session = await memory.session(user=user)
    assert run("sessions", "delete", str(session.id), "--user", user).returncode != 0
    assert (await session.info()).message_count == 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("sessions", "show", "abc"), "session_id must be a valid UUID"),
        (("sessions", "show", str(uuid4())), "no session"),
        (("keys", "revoke", str(uuid4())), "no API key"),
        (("keys", "revoke", "abc"), "key_id must be a valid UUID"),
    ],
)
def test_an_invalid_argument_is_reported_in_one_line(
    run: Run, words: tuple[str, ...], complaint: str
) -> None:
    done = run(*words)
    assert done.returncode == 1
    assert done.stderr.startswith("recollect: ")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_finds_everything_in_order(run: Run) -> None:
    done = run("doctor", "--json", MEMORY_PORT="0")
    findings = {item["check"]: item["status"] for item in json.loads(done.stdout)["items"]}
    assert done.returncode == 0
    assert findings.keys() >= {
        *("versions", "access", "address", "answers", "embedder"),
        *("disk", "database", "schema", "isolation"),
    }
    assert set(findings.values()) == {"ok"}


@pytest.mark.parametrize(
    ("env", "complaint"),
    [
        ({"MEMORY_PORT": "many"}, "MEMORY_PORT"),
        ({"MEMORY_HOST": "0.0.0.0"}, "without authentication"),  # noqa: S104  # it is refused
        ({"MEMORY_DB_CONNECTION_STRING": "mysql://host/db"}, "postgresql://"),
        (
            {"MEMORY_DB_CONNECTION_STRING": "postgresql://u:secret@127.0.0.1:9/db"},
            "does not answer",
        ),
    ],
)
def test_the_doctor_says_what_is_wrong_and_what_to_do(
    run: Run, env: dict[str, str], complaint: str
) -> None:
    done = run("doctor", "--json", **env)
    failed = [i for i in json.loads(done.stdout)["items"] if i["status"] == "failed"]
    assert done.returncode == 1
    assert any(complaint in finding["found"] and finding["advice"] for finding in failed)
    assert "secret" not in done.stdout


@pytest.mark.parametrize("command", ["doctor", "serve", "worker"])
def test_a_setting_that_sets_nothing_stops_the_start_with_the_nearest(
    run: Run, command: str
) -> None:
    done = run(command, MEMORY_RETENTION_DAY="7")
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "MEMORY_RETENTION_DAY is no setting: perhaps MEMORY_RETENTION_DAYS is meant" in told


def test_an_unreachable_database_is_reported_with_what_to_check(run: Run) -> None:
    away = "postgresql://u:secret@127.0.0.1:9/db"
    done = run("serve", MEMORY_PORT="0", MEMORY_DB_CONNECTION_STRING=away)
    (problem,) = done.stderr.splitlines()
    assert problem.startswith("recollect: the database does not answer")
    assert "'recollect doctor'" in problem


def test_the_version_option_prints_the_version(run: Run) -> None:
    assert run("--version").stdout == f"recollect {version('recollect')}\n"


def test_migrate_prints_the_revisions_before_and_after(run: Run) -> None:
    done = run("migrate", "--json")
    assert json.loads(done.stdout) == {"before": HEAD, "after": HEAD}


def test_going_back_to_base_asks_with_the_database_and_what_is_lost(
    run: Run, shared_home: Path
) -> None:
    asked = run("migrate", "--down-to", "base")
    assert asked.returncode != 0
    assert f"Take the folder {shared_home} back to revision 'base'? All data of" in asked.stderr


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (
            "postgresql://me:secret@db:5433/memory?sslmode=require",
            "postgresql://me:***@db:5433/memory",
        ),
        (
            "postgres://me@/memory?host=/run/pg&password=secret",
            "postgresql://me@/memory?host=/run/pg",
        ),
    ],
)
def test_a_database_is_named_without_its_password(address: str, place: str) -> None:
    assert memory_place(load_settings(db_connection_string=address)) == f"the database {place}"


@pytest.mark.parametrize("setting", ["MEMORY_HOST", "MEMORY_PORT"])
def test_the_server_refuses_an_address_it_cannot_have(run: Run, setting: str) -> None:
    value = {"MEMORY_HOST": "0.0.0.0", "MEMORY_PORT": "99999"}[setting]  # noqa: S104  # refused
    done = run("serve", **{setting: value})
    assert done.returncode == 1
    assert done.stderr.startswith("recollect: ")


async def test_the_command_line_sees_what_the_server_stored(
    run: Run, services: Services, memory: Memory
) -> None:
    session = await memory.session("chat", user="local")
    assert str(session.id) in run("sessions", "list", "--json", "--limit", "1000").stdout


async def test_only_chats_that_openwebui_no_longer_has_are_forgotten(
    run: Run, services: Services, tmp_path: Path
) -> None:
    scope = Scope(tenant="default", user=f"user-{uuid4()}")

    async def start(created_via: str, external_id: str | None = None) -> str:
        chat_id = external_id or str(uuid4())
        session = NewSession(
            session_id=session_id_from(chat_id, scope.owner_id),
            metadata={"created_via": created_via}
            | ({"openwebui_conversation_id": chat_id} if created_via == "openwebui" else {}),
        )
        await services.sessions.start(scope, session)
        return str(session.session_id)

    kept, gone, other = [await start(via) for via in ("openwebui", "openwebui", "api")]
    channel = await start("openwebui", "channel:7")
    chats = tmp_path / "chats.txt"
    chats.write_text(f"{kept.upper()}\n\n channel:7 \n")
    os.utime(chats, (time.time() + 60, time.time() + 60))
    forget = ("sessions", "forget", "--user", scope.user, "--except", str(chats))

    def sessions() -> set[str]:
        listed = run("sessions", "list", "--user", scope.user, "--json").stdout
        return {item["session_id"] for item in json.loads(listed)["items"]}

    listed = json.loads(run(*forget, "--dry-run", "--json").stdout)
    everything = json.loads(run("sessions", "list", "--user", scope.user, "--json").stdout)
    assert listed == {
        "items": [item for item in everything["items"] if item["session_id"] == gone],
        "next_cursor": None,
    }
    refused = run(*forget)
    assert (refused.returncode, gone in refused.stdout) == (1, True)
    assert sessions() == {kept, gone, other, channel}, "nothing is deleted without a yes"
    assert json.loads(run(*forget, "--yes", "--json").stdout) == {"deleted": [gone]}
    assert sessions() == {kept, other, channel}
    assert "no session to forget" in run(*forget, "--yes").stdout
    assert json.loads(run(*forget, "--yes", "--json").stdout) == {"deleted": []}


@pytest.fixture
async def chat(services: Services) -> tuple[Scope, str]:
    """A user with one chat of OpenWebUI."""
    scope = Scope(tenant="default", user=f"user-{uuid4()}")
    session = NewSession(session_id=uuid4(), metadata=_of_openwebui(uuid4()))
    await services.sessions.start(scope, session)
    return scope, str(session.metadata["openwebui_conversation_id"])


def _of_openwebui(chat_id: object) -> dict[str, str]:
    return {"created_via": "openwebui", "openwebui_conversation_id": str(chat_id)}


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ('"{chat}"\n', "line 1"),
        ("                  id\n------\n {chat}\n(1 row)\n", "line 1"),
        ("{chat}\nchannel:\n", "line 2"),
        (f"{NOBODYS}\n", "has no chat of"),
    ],
)
async def test_a_list_that_is_not_understood_or_of_another_user_forgets_nothing(
    run: Run,
    chat: tuple[Scope, str],
    services: Services,
    tmp_path: Path,
    written: str,
    complaint: str,
) -> None:
    scope, chat_id = chat
    listed = tmp_path / "chats.txt"
    listed.write_text(written.format(chat=chat_id))
    os.utime(listed, (time.time() + 60, time.time() + 60))
    done = run("sessions", "forget", "--user", scope.user, "--except", str(listed), "--yes")
    assert (done.returncode, done.stdout, complaint in done.stderr) == (1, "", True)
    assert (await services.sessions.list(scope, PageRequest())).items


async def test_a_list_in_another_encoding_is_refused_and_a_byte_order_mark_is_not(
    run: Run, chat: tuple[Scope, str], tmp_path: Path
) -> None:
    scope, chat_id = chat
    listed = tmp_path / "chats.txt"
    forget = ("sessions", "forget", "--user", scope.user, "--except", str(listed), "--yes")
    listed.write_text(chat_id, encoding="utf-16")
    refused = run(*forget)
    assert refused.stderr.startswith("recollect: ")
    assert "UTF-8" in refused.stderr
    listed.write_text(f"{chat_id}\n", encoding="utf-8-sig")
    os.utime(listed, (time.time() + 60, time.time() + 60))
    assert run(*forget).stdout == "no session to forget\n"


async def test_chats_are_known_by_openwebuis_own_id_and_sessions_without_one_stay(
    run: Run, chat: tuple[Scope, str], services: Services, tmp_path: Path
) -> None:
    scope, chat_id = chat  # whose session has another id
    await services.sessions.start(
        scope, NewSession(session_id=uuid4(), metadata={"created_via": "openwebui"})
    )
    gone = NewSession(session_id=uuid4(), metadata=_of_openwebui(uuid4()))
    await services.sessions.start(scope, gone)
    listed = tmp_path / "chats.txt"
    listed.write_text(f"{chat_id}\n")
    os.utime(listed, (time.time() + 60, time.time() + 60))
    forget = ("sessions", "forget", "--user", scope.user, "--except", str(listed), "--yes")
    assert json.loads(run(*forget, "--json").stdout) == {"deleted": [str(gone.session_id)]}


async def test_chats_begun_after_the_list_was_made_and_empty_lists_forget_nothing(
    run: Run, services: Services, tmp_path: Path
) -> None:
    scope = Scope(tenant="default", user=f"user-{uuid4()}")
    session = NewSession(session_id=uuid4(), metadata=_of_openwebui(uuid4()))
    chats = tmp_path / "chats.txt"
    chats.write_text(f"{NOBODYS}\n")
    os.utime(chats, (time.time() - 60, time.time() - 60))
    await services.sessions.start(scope, session)
    forget = ("sessions", "forget", "--user", scope.user, "--except", str(chats), "--yes")
    assert "no session to forget" in run(*forget).stdout
    chats.write_text("\n")
    empty = run(*forget)
    assert (empty.returncode, "names no chat" in empty.stderr) == (1, True)
    assert await services.sessions.get(scope, session.session_id)


async def test_json_output_of_lists_equals_the_http_responses(run: Run, memory: Memory) -> None:
    settings = load_settings(local_user=f"user-{uuid4()}")
    session = await memory.session(user=settings.local_user)
    await session.add_exchange("How much?", "2.5M", sql_query="SELECT 1")
    async with serving(create_app(memory, settings)) as url, httpx.AsyncClient() as client:
        sessions = (await client.get(f"{url}/api/v1/sessions")).json()
        messages = (await client.get(f"{url}/api/v1/sessions/{session.id}/messages")).json()
    user = ("--user", settings.local_user, "--json")

    (listed,) = json.loads(run("sessions", "list", *user).stdout)["items"]
    assert {**listed, "last_accessed_at": None} == {
        **sessions["items"][0],
        "last_accessed_at": None,
    }
    shown = json.loads(run("sessions", "show", str(session.id), *user).stdout)
    assert shown["items"] == messages["items"][::-1]


@pytest_asyncio.fixture
async def shop_url(admin_dsn: str) -> AsyncIterator[str]:
    """A database with two tables, as its administrator, and a role that may read one of them."""
    name = f"shop_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.execute(f"CREATE ROLE {name}_reader")
    shop = await asyncpg.connect(admin_dsn, database=name)
    await shop.execute("CREATE TABLE sales (region text); CREATE TABLE salaries (name text)")
    await shop.execute(f"GRANT SELECT ON sales TO {name}_reader")
    host = quote(str(Path(shop._addr).parent), safe="")
    await shop.close()
    yield f"postgresql://{shop._params.user}@/{name}?host={host}"
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.execute(f"DROP ROLE {name}_reader")
    await admin.close()


def test_the_doctor_warns_of_an_account_that_may_do_more_than_read(run: Run, shop_url: str) -> None:
    settings = {
        "MEMORY_SQL_DATABASE": shop_url,
        "MEMORY_SQL_TABLES": "sales",
        "MEMORY_LLM_BASE_URL": "http://127.0.0.1:9",
        "MEMORY_LLM_MODEL": "m",
    }
    name = shop_url.partition("@/")[2].partition("?")[0]

    warned = _sql_account(run("doctor", "--json", **settings))
    bound = _sql_account(run("doctor", "--json", **settings, MEMORY_SQL_ROLE=f"{name}_reader"))
    unknown = _sql_account(run("doctor", "--json", **settings, MEMORY_SQL_ROLE="nobody_at_all"))

    assert warned == [
        ("warning", "the account is a superuser"),
        ("warning", "the account may read tables outside MEMORY_SQL_TABLES: salaries"),
        ("warning", "the account may write to salaries, sales"),
    ]
    assert bound == [("ok", "may only read what it has to")]
    assert unknown[0][0] == "failed"


def _sql_account(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    findings = json.loads(done.stdout)["items"]
    return [(f["status"], f["found"]) for f in findings if f["check"] == "SQL account"]


@pytest.mark.parametrize(
    "words",
    [
        ("sessions", "list"),
        ("sessions", "show", NOBODYS),
        ("sessions", "delete", NOBODYS, "--yes"),
        ("keys", "list"),
        ("keys", "create", "--name", "x", "--scope", "service"),
        ("keys", "revoke", NOBODYS),
        ("audit", "list"),
        ("audit", "verify"),
        ("recall", "sales"),
        ("rewrite", "and in 2023?"),
        ("chat",),
    ],
    ids=" ".join,
)
def test_an_empty_name_is_never_taken_for_the_default_one(words: tuple[str, ...]) -> None:
    runner = CliRunner()
    offered = get_command(app)
    for word in words:
        offered = getattr(offered, "commands", {}).get(word, offered)
    names = {option for one in offered.params for option in one.opts} & {"--tenant", "--user"}
    assert "--tenant" in names
    for name in names:
        for blank in ("", " "):
            done = runner.invoke(app, [*words, name, blank])
            assert isinstance(done.exception, InvalidInput)
            assert str(done.exception).startswith(f"{name} must not be blank")


@pytest.mark.parametrize("name", ["MEMORY_TENANT", "MEMORY_LOCAL_USER"])
@pytest.mark.parametrize("blank", ["", " "])
def test_an_empty_name_is_no_setting(
    monkeypatch: pytest.MonkeyPatch, name: str, blank: str
) -> None:
    monkeypatch.setenv(name, blank)
    with pytest.raises(ConfigurationError, match=f"{name}: must not be blank"):
        load_settings()


async def test_an_empty_tenant_is_refused_by_the_library(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="tenant must not be blank"):
        await memory.session(user="alice", tenant="")


def test_without_a_master_key_the_status_of_encryption_is_off(run: Run) -> None:
    done = run("encryption", "status")
    assert (done.returncode, done.stdout.strip()) == (
        0,
        "encryption is off: MEMORY_ENCRYPTION_KEY is not set",
    )
