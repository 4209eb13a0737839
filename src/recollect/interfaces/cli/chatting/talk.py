"""A conversation from the first question to the last."""

import asyncio
import signal
from collections.abc import AsyncIterable
from contextlib import aclosing
from enum import Enum, auto
from typing import Final

from recollect.errors import RecollectError
from recollect.interfaces.cli.chatting.partner import AnswerSummary, Partner
from recollect.interfaces.cli.chatting.terminal import HELP, Screen

_NO_SESSION: Final = "no session yet: the first question starts one"

_WITHOUT_ARGUMENT: Final = frozenset({"/quit", "/exit", "/help", "/new", "/session", "/sources"})


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
        return await _stop(partner, "".join(heard), screen)
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    return Outcome.DONE


async def _stop(partner: Partner, heard: str, screen: Screen) -> Outcome:
    screen.note("\n(stopped)")
    is_leaving = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, is_leaving.set)
    await partner.keep_stopped(heard)
    return Outcome.LEFT if is_leaving.is_set() else Outcome.STOPPED


async def _show(partner: Partner, question: str, screen: Screen, heard: list[str]) -> None:
    told: AnswerSummary | None = None
    async with aclosing(partner.ask(question)) as pieces:
        async for piece in pieces:
            if isinstance(piece, AnswerSummary):
                told = piece
            else:
                heard.append(piece)
                screen.piece(piece)
    screen.end(told)
