"""A conversation in the terminal, from the first question to the last."""

import asyncio
import shlex
import signal
from collections.abc import AsyncIterable, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from enum import Enum, auto
from typing import TYPE_CHECKING, Final
from uuid import UUID

from rich.console import Console

from recollect.errors import RecollectError
from recollect.interfaces.cli.chatting.partners import AnswerSummary, Partner

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyPressEvent
HELP: Final = """\
Enter sends, Alt+Enter (or Esc, then Enter) begins a new line, the arrow keys go through what
you asked before, Ctrl+C stops an answer, Ctrl+C twice or Ctrl+D leaves.
  /session  show this conversation's id
  /new      begin another conversation
  /forget   delete this conversation ('/forget yes')
  /sources  show or hide where an answer's memory came from
  /help     this text
  /quit     leave"""
_QUOTED: Final = 160
_NO_SESSION: Final = "no session yet: the first question starts one"
_WITHOUT_ARGUMENT: Final = frozenset({"/quit", "/exit", "/help", "/new", "/session", "/sources"})


async def typed_questions(asked_before: Sequence[str], screen: "Screen") -> AsyncIterator[str]:
    """What a person types, until they leave: with Ctrl+D, or Ctrl+C twice in a row."""
    session = _prompt(asked_before)
    is_leaving = False
    while True:
        try:
            line = (await session.prompt_async("you> ")).strip()
        except KeyboardInterrupt:
            if is_leaving:
                return
            is_leaving = True
            screen.note("(Ctrl+C again leaves)")
            continue
        except EOFError:
            return
        is_leaving = False
        yield line


def _prompt(asked_before: Sequence[str]) -> "PromptSession[str]":
    # Loaded here: 0.2 s that no other command needs.
    from prompt_toolkit import PromptSession  # noqa: PLC0415
    from prompt_toolkit.history import InMemoryHistory  # noqa: PLC0415
    from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415

    bindings = KeyBindings()

    @bindings.add("enter")
    def _send(event: "KeyPressEvent") -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def _new_line(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text("\n")

    # In memory: what somebody asked is kept in the memory they chose, and in no other file.
    return PromptSession(
        history=InMemoryHistory(list(asked_before)),
        multiline=True,
        key_bindings=bindings,
        prompt_continuation="   > ",
    )


class Screen:
    """Shows answers as they come."""

    def __init__(
        self, console: Console, *, shows_sources: bool, errors: Console | None = None
    ) -> None:
        self._console = console
        self._errors = errors or Console(stderr=True)
        self.shows_sources = shows_sources

    def piece(self, text: str) -> None:
        """A piece of an answer."""
        self._console.print(text, end="", markup=False, highlight=False, soft_wrap=True)

    def end(self, answer: AnswerSummary | None) -> None:
        """The end of an answer, with what there is to say about it."""
        self._console.print()
        if answer is None:
            return
        for warning in answer.warnings:
            self._console.print(f"! {warning}", style="yellow", markup=False)
        if self.shows_sources:
            for line in source_lines(answer):
                self._console.print(line, style="dim", markup=False, highlight=False)

    def note(self, text: str) -> None:
        """Something that is not part of the conversation."""
        self._console.print(text, style="dim", markup=False, highlight=False)

    def problem(self, text: str) -> None:
        """Something that went wrong; the conversation goes on."""
        self._errors.print(
            f"recollect: {text}", style="red", markup=False, highlight=False, soft_wrap=True
        )

    def farewell(self, session_id: UUID, options: Sequence[str] = ()) -> None:
        """How to come back, with the same options; beside what a pipe gets."""
        command = shlex.join(("recollect", "chat", "--session", str(session_id), *options))
        text = f"session {session_id} goes on with: {command}"
        self._errors.print(text, style="dim", markup=False, highlight=False, soft_wrap=True)


def source_lines(answer: AnswerSummary) -> Iterator[str]:
    """Where the memory behind an answer came from."""
    yield f"understood as: {answer.question}"
    if answer.messages_in_context:
        yield f"from this conversation: the last {answer.messages_in_context} messages"
    if answer.has_summary:
        yield "from this conversation: a summary of what came before them"
    for recalled in answer.recalled:
        text = " ".join(str(recalled["text"]).split())
        shown = text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
        yield f"recalled from {str(recalled['created_at'])[:10]} ({recalled['score']:.2f}): {shown}"
    if not (answer.messages_in_context or answer.has_summary or answer.recalled):
        yield "from memory: nothing yet"


class Outcome(Enum):
    """What became of a line."""

    DONE = auto()
    FAILED = auto()
    STOPPED = auto()
    """By Ctrl+C."""
    LEFT = auto()
    """By /quit, or by Ctrl+C twice."""


async def talk(
    partner: Partner, questions: AsyncIterable[str], screen: Screen, *, leaves_when_stopped: bool
) -> bool:
    """Answer one question after the other; whether all of them were answered.

    At a prompt, Ctrl+C stops an answer and the conversation goes on; questions from a pipe end
    with it.
    """
    were_all_answered = True
    async for line in questions:
        outcome = await _do(partner, line, screen)
        were_all_answered &= outcome in {Outcome.DONE, Outcome.LEFT}
        if outcome is Outcome.LEFT or (outcome is Outcome.STOPPED and leaves_when_stopped):
            break
    return were_all_answered


async def _do(partner: Partner, line: str, screen: Screen) -> Outcome:
    if not line:
        return Outcome.DONE
    try:
        if is_command(line):
            return await _command(partner, line, screen)
        return await _answer(partner, line, screen)
    except RecollectError as error:
        screen.problem(str(error))
        return Outcome.FAILED


def is_command(line: str) -> bool:
    """Whether a line is one for the program; `/etc/hosts` and `/ 2` are parts of questions."""
    word = line.partition(" ")[0]
    return word.startswith("/") and word[1:].replace("-", "").isalpha() and "\n" not in line


async def _command(partner: Partner, line: str, screen: Screen) -> Outcome:
    match line.lower().split():
        case ["/quit" | "/exit"]:
            return Outcome.LEFT
        case ["/help"]:
            screen.note(HELP)
        case ["/new"]:
            partner.start_anew()
            screen.note("a new conversation")
        case ["/session"]:
            screen.note(f"session {partner.session_id}" if partner.session_id else _NO_SESSION)
        case ["/sources"]:
            screen.shows_sources = not screen.shows_sources
            screen.note(f"sources are {'shown' if screen.shows_sources else 'hidden'}")
        case ["/forget", *words]:
            return await _forget(partner, screen, is_sure=words == ["yes"])
        case [name, *_] if name in _WITHOUT_ARGUMENT:
            screen.problem(f"{name} takes no argument")
            return Outcome.FAILED
        case [name, *_]:
            screen.problem(f"there is no command {name}; /help lists those there are")
            return Outcome.FAILED
    return Outcome.DONE


async def _forget(partner: Partner, screen: Screen, *, is_sure: bool) -> Outcome:
    if partner.session_id is None:
        screen.note(_NO_SESSION)
    elif not is_sure:
        screen.note(
            f"this deletes session {partner.session_id} with all its messages, for good; "
            "'/forget yes' does it"
        )
    else:
        forgotten = partner.session_id
        await partner.forget()
        screen.note(f"session {forgotten} is deleted; the next question starts another")
    return Outcome.DONE


async def _answer(partner: Partner, question: str, screen: Screen) -> Outcome:
    """Show an answer; Ctrl+C stops it and keeps its question, Ctrl+C twice leaves, too."""
    heard: list[str] = []
    answering = asyncio.ensure_future(_show(partner, question, screen, heard))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, answering.cancel)
    try:
        await answering
    except asyncio.CancelledError:
        if not answering.cancelled():
            raise
        screen.note("\n(stopped)")
        is_leaving = asyncio.Event()
        loop.add_signal_handler(signal.SIGINT, is_leaving.set)
        await partner.keep_stopped("".join(heard))
        return Outcome.LEFT if is_leaving.is_set() else Outcome.STOPPED
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    return Outcome.DONE


async def _show(partner: Partner, question: str, screen: Screen, heard: list[str]) -> None:
    summary: AnswerSummary | None = None
    async with aclosing(partner.ask(question)) as pieces:
        async for piece in pieces:
            if isinstance(piece, AnswerSummary):
                summary = piece
            else:
                heard.append(piece)
                screen.piece(piece)
    screen.end(summary)
