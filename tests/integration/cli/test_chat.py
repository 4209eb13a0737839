"""`recollect chat`, piped and typed, with a memory of its own and with a server."""

import asyncio
import io
import json
import os
import shlex
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.engines.postgres.connection.database import Database
from recollect.errors import ConfigurationError, Unavailable
from recollect.interfaces.cli.chatting.partners import (
    AnswerSummary,
    EmbeddedPartner,
    Partner,
    server_at,
)
from recollect.interfaces.cli.chatting.talk import Screen, source_lines, talk, typed_questions
from recollect.interfaces.http.app import create_app
from recollect.memory import Memory
from recollect.settings import Settings
from support.doubles.chat_endpoint import Reply, chat_double
from support.servers.http_servers import serving
from support.servers.programs import run_recollect


async def chat(home: Path, typed: str, *words: str, **env: str) -> tuple[int, str, str]:
    # No worker: on the database that all tests share it would work for all of them.
    usual = {"MEMORY_HOME": str(home), "MEMORY_WORKER": "false", "COLUMNS": "200"}
    done = await asyncio.to_thread(run_recollect, "chat", *words, env=usual | env, typed=typed)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def home(shared_home: Path, database: Database) -> Path:
    return shared_home


async def test_questions_of_one_run_belong_together_and_runs_do_not(home: Path) -> None:
    user = uuid4().hex
    async with chat_double(Reply(answer="North 2.5M, South 1.8M")) as double:
        env = {"MEMORY_LLM_BASE_URL": double.url, "MEMORY_LLM_MODEL": "stub"}
        typed = "Show me total sales by region for 2024\nWhat about 2023?\n"
        code, out, err = await chat(home, typed, "--sources", "--user", user, **env)
        again = await chat(home, "What about 2022?\n", "--sources", "--user", user, **env)

    assert (code, err.startswith("session ")) == (0, True)
    assert out.count("North 2.5M, South 1.8M") == 2
    assert "understood as: Show me total sales by region for 2023" in out
    assert "the last 2 messages" in out
    assert "from memory: nothing yet" in again[1]
    assert "understood as: What about 2022?" in again[1]


@pytest_asyncio.fixture
async def own_dsn(admin_dsn: str) -> AsyncIterator[str]:
    """A database that nobody but this test works on."""
    name = f"chatting_{uuid4().hex}"
    admin = await asyncpg.connect(admin_dsn)
    await admin.execute(f"CREATE DATABASE {name}")
    yield admin_dsn.replace("@/postgres?", f"@/{name}?")
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def test_an_earlier_run_is_recalled_only_when_asked_for(home: Path, own_dsn: str) -> None:
    async with chat_double(Reply(answer="Its name is Waldorf.")) as double:
        env = {"MEMORY_LLM_BASE_URL": double.url, "MEMORY_LLM_MODEL": "stub"}
        env |= {"MEMORY_DB_CONNECTION_STRING": own_dsn}
        await chat(home, "What is our office parrot called?\n", **env)
        async with Memory.open(connection_string=own_dsn) as memory:
            await memory.catch_up()
        typed = "Remind me of the parrot in our office\n"
        _, apart, _ = await chat(home, typed, "--sources", **env)
        assert "Waldorf" not in str(double.requests[-1].body)
        _, out, _ = await chat(home, typed, "--sources", "--recall", MEMORY_WORKER="true", **env)

    assert "from memory: nothing yet" in apart
    assert "recalled from" in out
    assert "Waldorf" in str(double.requests[-1].body)


async def test_a_session_is_resumed_by_its_id(home: Path) -> None:
    user = uuid4().hex
    async with chat_double(Reply(answer="Fine.")) as double:
        env = {"MEMORY_LLM_BASE_URL": double.url, "MEMORY_LLM_MODEL": "stub"}
        first = await chat(home, "Show me total sales for 2024\n", "--json", "--user", user, **env)
        session = json.loads(first[1])["session_id"]
        words = ("--json", "--user", user, "--session", session)
        second = await chat(home, "What about 2023?\n", *words, **env)

    told = json.loads(second[1])
    assert told["session_id"] == session
    assert told["question"] == "Show me total sales for 2023"


async def test_without_a_model_memory_itself_answers(home: Path) -> None:
    code, out, _ = await chat(home, "Who are you?\n", "--user", uuid4().hex)
    assert code == 0
    assert "No language model is set" in out


async def test_a_session_that_is_not_there_is_an_error(home: Path) -> None:
    code, _, err = await chat(home, "Hello\n", "--session", str(uuid4()), "--user", uuid4().hex)
    assert code == 1
    assert "no session" in err
    code, _, err = await chat(home, "Hello\n", "--session", "nonsense")
    assert code == 1
    assert "UUID" in err


async def test_a_server_answers_and_keeps_the_conversation(home: Path) -> None:
    async with chat_double(Reply(answer="Fine.")) as double:
        settings = Settings(
            home=home, llm_base_url=double.url, llm_model="stub", local_user=uuid4().hex
        )
        async with Memory.open(settings) as memory, serving(create_app(memory, settings)) as url:
            typed = "Show me total sales for 2024\nWhat about 2023?\n"
            code, out, err = await chat(home, typed, "--server", url, "--sources")
            page = await memory.sessions(user=settings.local_user)
            resumed = await chat(
                *(home, "What about 2022?\n", "--server", url, "--json"),
                *("--session", str(page.items[0].session_id)),
            )
            missing = await chat(home, "Hi\n", "--server", url, "--session", str(uuid4()))

    assert (code, err.count("\n")) == (0, 1)
    again = f"recollect chat --session {page.items[0].session_id} --server {url} --sources"
    assert err.endswith(f" goes on with: {again}\n")
    assert "understood as: Show me total sales for 2023" in out
    assert [session.metadata["created_via"] for session in page.items] == ["cli"]
    assert json.loads(resumed[1])["question"] == "Show me total sales for 2022"
    assert "no session" in missing[2]


async def test_an_unreachable_server_is_reported_in_one_line(home: Path) -> None:
    code, out, err = await chat(home, "Hello\n", "--server", "http://127.0.0.1:9")
    assert (code, out) == (1, "")
    assert "is 'recollect serve' running there?" in err


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/api/v1"])
async def test_an_address_with_an_api_path_is_refused_with_the_correct_one(
    home: Path, path: str
) -> None:
    code, out, err = await chat(home, "Hello\n", "--server", f"http://127.0.0.1:9{path}")
    assert (code, out) == (1, "")
    assert err.endswith("--server wants the server's own: http://127.0.0.1:9\n")


async def test_a_server_that_is_not_recollect_is_reported(home: Path) -> None:
    async with chat_double() as double:
        code, out, err = await chat(home, "Hello\n", "--server", double.url.removesuffix("/v1"))
    assert (code, out) == (1, "")
    assert "is not a Recollect server" in err


async def test_a_server_hears_which_user_and_model_are_meant(home: Path) -> None:
    async with chat_double(Reply(answer="Fine.")) as double:
        tenant, user = f"tenant-{uuid4()}", uuid4().hex
        settings = Settings(
            home=home,
            llm_base_url=double.url,
            llm_model="stub",
            user_id_source="api_key",
            tenant=tenant,
        )
        async with Memory.open(settings) as memory, serving(create_app(memory, settings)) as url:
            _, key = await memory.services.api_keys.create(
                TenantScope(tenant=tenant), name="cli", scopes=[KeyScope.SERVICE]
            )
            words = ("--server", url, "--user", user, "--model", "large")
            done = await chat(home, "Hello?\n", *words, MEMORY_SERVER_KEY=key)
            page = await memory.sessions(user=user)
            refused = await chat(home, "Hello?\n", "--server", url, "--tenant", "other")

    assert done[0] == 0
    assert len(page.items) == 1
    assert double.requests[-1].body["model"] == "large"
    assert "--tenant is not for --server" in refused[2]


async def test_a_key_that_is_missing_is_asked_for(home: Path) -> None:
    settings = Settings(home=home, user_id_source="api_key")
    async with Memory.open(settings) as memory, serving(create_app(memory, settings)) as url:
        code, out, err = await chat(home, "Hello\n", "--server", url)
    assert (code, out) == (1, "")
    assert "MEMORY_SERVER_KEY" in err


async def test_an_unknown_slash_command_is_an_error_and_not_sent_as_a_question(home: Path) -> None:
    async with chat_double(Reply(answer="Fine.")) as double:
        env = {"MEMORY_LLM_BASE_URL": double.url, "MEMORY_LLM_MODEL": "stub"}
        typed = "/sorces\n/etc/hosts is what?\n"
        code, out, err = await chat(home, typed, "--user", uuid4().hex, **env)
    assert code == 1
    assert "there is no command /sorces" in err
    assert out == "Fine.\n"
    assert len(double.requests) == 1


class Parrot:
    """Says what it is told, as slowly as it is told."""

    def __init__(self, *, pause: float = 0, fails: bool = False) -> None:
        self.questions: list[str] = []
        self.is_closed = False
        self.conversations = 1
        self.session_id: str | None = None
        self.kept: list[str] = []
        self._pause = pause
        self._fails = fails

    async def ask(self, question: str) -> AsyncGenerator[str | AnswerSummary, None]:
        self.questions.append(question)
        self.session_id = f"session-{self.conversations}"
        try:
            yield "You said: "
            await asyncio.sleep(self._pause)
            if self._fails:
                raise Unavailable("gone")
            yield question
            yield AnswerSummary(
                answer=question, question=question, session_id=None, warnings=["careful"]
            )
        finally:
            self.is_closed = True

    async def asked_before(self) -> Sequence[str]:
        return ()

    def start_anew(self) -> None:
        self.conversations += 1
        self.session_id = None

    async def keep_stopped(self, partial: str) -> None:
        self.kept.append(partial)

    async def forget(self) -> None:
        self.start_anew()


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110  # a screen tells nobody what it shows
        await asyncio.sleep(0.01)


async def _said(*questions: str) -> AsyncIterator[str]:
    for question in questions:
        yield question


def _screen() -> tuple[Screen, io.StringIO]:
    shown = io.StringIO()
    console = Console(file=shown, width=120)
    return Screen(console, shows_sources=False, errors=console), shown


async def _talk(partner: Partner, screen: Screen, *lines: str, is_piped: bool = False) -> bool:
    return await talk(partner, _said(*lines), screen, leaves_when_stopped=is_piped)


async def _type(keys: PipeInput, questions: AsyncIterator[str], text: str) -> str | None:
    """Type as a person does: once the prompt is there and has read its history."""
    typed = asyncio.ensure_future(anext(questions, None))
    await asyncio.sleep(0.2)
    keys.send_text(text)
    return await typed


async def test_typing_may_take_several_lines_and_go_back_in_history() -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        questions = aiter(typed_questions(["asked before"], _screen()[0]))
        assert await _type(keys, questions, "one\x1b\rtwo\r") == "one\ntwo"  # Alt+Enter
        assert await _type(keys, questions, "\x1b[A\r") == "one\ntwo"  # the arrow up
        assert await _type(keys, questions, "\x1b[A\x1b[A\x1b[A\r") == "asked before"
        assert await _type(keys, questions, "half\x03whole\r") == "whole"  # Ctrl+C
        assert await _type(keys, questions, "\x04") is None  # Ctrl+D


async def test_ctrl_c_twice_at_the_prompt_leaves() -> None:
    screen, shown = _screen()
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        questions = aiter(typed_questions([], screen))
        assert await _type(keys, questions, "\x03again\r") == "again"
        leaving = asyncio.ensure_future(anext(questions, None))
        for presses in (2, 3):
            await asyncio.sleep(0.2)
            keys.send_text("\x03")
            if presses == 2:
                await _until(lambda: shown.getvalue().count("Ctrl+C again leaves") == 2)
        assert await leaving is None


async def test_slash_commands_do_what_the_help_says() -> None:
    partner, (screen, shown) = Parrot(), _screen()

    assert await _talk(
        partner,
        screen,
        "/help",
        "/new",
        "/session",
        "/sources",
        "",
        "hi",
        "/session",
        "/quit",
        "no",
    )

    assert partner.questions == ["hi"]
    assert partner.conversations == 2
    told = shown.getvalue()
    assert "Ctrl+D leaves" in told
    assert "understood as: hi" in told
    assert "! careful" in told
    assert told.index("no session yet") < told.index("session session-2")


async def test_a_conversation_is_forgotten_only_by_whoever_is_sure() -> None:
    partner, (screen, shown) = Parrot(), _screen()

    assert await _talk(partner, screen, "/forget yes", "hi", "/forget")
    assert partner.session_id == "session-1"
    assert "'/forget yes' does it" in shown.getvalue()

    assert await _talk(partner, screen, "/forget yes")
    assert partner.session_id is None
    assert "session session-1 is deleted" in shown.getvalue()


async def test_ctrl_c_stops_an_answer_and_not_the_conversation() -> None:
    partner, (screen, shown) = Parrot(pause=60), _screen()
    asyncio.get_running_loop().call_later(0.2, os.kill, os.getpid(), signal.SIGINT)

    assert not await _talk(partner, screen, "hi", "/help")

    assert partner.is_closed
    assert partner.kept == ["You said: "]
    assert "(stopped)" in shown.getvalue()
    assert "Ctrl+D leaves" in shown.getvalue()


async def test_ctrl_c_ends_a_chat_that_reads_from_a_pipe() -> None:
    partner, (screen, _) = Parrot(pause=60), _screen()
    asyncio.get_running_loop().call_later(0.2, os.kill, os.getpid(), signal.SIGINT)

    assert not await _talk(partner, screen, "hi", "never asked", is_piped=True)

    assert partner.questions == ["hi"]


@pytest.mark.parametrize(
    ("heard", "kept"), [("North 2.5M, ", "North 2.5M, […]"), ("", "(no answer)")]
)
async def test_a_question_that_was_stopped_is_still_known(
    home: Path, heard: str, kept: str
) -> None:
    slow, fast = Reply(answer="North 2.5M, South", waits_after=1), Reply(answer="Fine.")
    async with chat_double(slow, fast, slow, fast) as double:
        settings = Settings(
            home=home, llm_base_url=double.url, llm_model="stub", local_user=uuid4().hex
        )
        async with Memory.open(settings) as memory, serving(create_app(memory, settings)) as url:
            scope = Scope(tenant=settings.tenant, user=settings.local_user)
            embedded = EmbeddedPartner(memory, scope, session_id=None)
            async with server_at(url, session_id=None) as remote:
                for partner in (embedded, remote):
                    async with aclosing(partner.ask("Show me total sales for 2024")) as pieces:
                        await anext(pieces)
                    await partner.keep_stopped(heard)
                    told = [piece async for piece in partner.ask("What about 2023?")][-1]

                    assert isinstance(told, AnswerSummary)
                    assert told.question == "Show me total sales for 2023"
                    assert told.messages_in_context == 2
                    assert kept in str(double.requests[-1].body["messages"])
                    await partner.forget()
                    assert partner.session_id is None
            assert (await memory.sessions(user=settings.local_user)).items == ()


async def test_an_error_is_one_line_and_the_conversation_goes_on() -> None:
    partner, (screen, shown) = Parrot(fails=True), _screen()

    assert not await _talk(partner, screen, "hi", "again")

    assert shown.getvalue().count("recollect: gone") == 2


async def test_a_slash_command_with_too_many_words_is_an_error() -> None:
    partner, (screen, shown) = Parrot(), _screen()
    assert not await _talk(partner, screen, "/session abc", "/help me", "/NEW x", "/quit now")
    assert partner.conversations == 1
    for name in ("/session", "/help", "/new", "/quit"):
        assert f"recollect: {name} takes no argument" in shown.getvalue()


async def test_the_farewell_gives_a_command_that_any_shell_reads_back() -> None:
    screen, shown = _screen()
    screen.farewell("1", ("--user", "Bob O'Hara", "--tenant", "acme"))
    _, command = shown.getvalue().split(" goes on with: ")
    assert shlex.split(command) == [
        *("recollect", "chat", "--session", "1"),
        *("--user", "Bob O'Hara", "--tenant", "acme"),
    ]


async def test_an_answer_is_never_taken_for_markup() -> None:
    screen, shown = _screen()
    screen.piece("[red]not red[/red]")
    assert "[red]not red[/red]" in shown.getvalue()


def test_the_sources_command_names_the_recalled_entries() -> None:
    told = AnswerSummary(
        answer="",
        question="q",
        session_id=None,
        has_summary=True,
        recalled=[{"text": "long " * 100, "score": 0.5, "created_at": "2026-11-01T10:00:00Z"}],
    )
    lines = list(source_lines(told))
    assert any("summary" in line for line in lines)
    assert any(line.startswith("recalled from 2026-11-01 (0.50): long") for line in lines)


async def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="--server"):
        async with server_at("nonsense", session_id=None):
            pass
