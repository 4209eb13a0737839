"""A conversation from the first question to the last."""

import asyncio
import signal
from collections.abc import AsyncIterable
from contextlib import aclosing

from recollect.errors import RecollectError
from recollect.interfaces.cli.chatting.partner import Partner, Told
from recollect.interfaces.cli.chatting.terminal import HELP, Screen


async def talk(partner: Partner, questions: AsyncIterable[str], screen: Screen) -> bool:
    """Answer one question after the other; whether all of them were answered."""
    were_all_answered = True
    async for question in questions:
        match question:
            case "":
                continue
            case "/quit" | "/exit":
                break
            case "/help":
                screen.note(HELP)
            case "/new":
                partner.start_anew()
                screen.note("a new conversation")
            case "/sources":
                screen.shows_sources = not screen.shows_sources
                screen.note(f"sources are {'shown' if screen.shows_sources else 'hidden'}")
            case _:
                were_all_answered &= await _answer(partner, question, screen)
    return were_all_answered


async def _answer(partner: Partner, question: str, screen: Screen) -> bool:
    """Show an answer; Ctrl+C stops it and the conversation goes on."""
    answering = asyncio.ensure_future(_show(partner, question, screen))
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, answering.cancel)
    try:
        await answering
    except asyncio.CancelledError:
        if not answering.cancelled():
            raise
        screen.note("\n(stopped)")
        return False
    except RecollectError as error:
        screen.problem(str(error))
        return False
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    return True


async def _show(partner: Partner, question: str, screen: Screen) -> None:
    told: Told | None = None
    async with aclosing(partner.ask(question)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Told):
                told = piece
            else:
                screen.piece(piece)
    screen.end(told)
