"""What a person sees and types."""

import shlex
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.console import Console

from recollect.interfaces.cli.chatting.partner import AnswerSummary

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

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

    # In memory: what somebody asked is kept in the memory they chose, and in no other file.
    return PromptSession(
        history=InMemoryHistory(list(asked_before)),
        multiline=True,
        key_bindings=_bindings(),
        prompt_continuation="   > ",
    )


def _bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415

    bindings = KeyBindings()

    @bindings.add("enter")
    def _send(event: "KeyPressEvent") -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def _new_line(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text("\n")

    return bindings


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

    def end(self, told: AnswerSummary | None) -> None:
        """The end of an answer, with what there is to say about it."""
        self._console.print()
        if told is None:
            return
        for warning in told.warnings:
            self._console.print(f"! {warning}", style="yellow", markup=False)
        if self.shows_sources:
            for line in source_lines(told):
                self._console.print(line, style="dim", markup=False, highlight=False)

    def note(self, text: str) -> None:
        """Something that is not part of the conversation."""
        self._console.print(text, style="dim", markup=False, highlight=False)

    def problem(self, text: str) -> None:
        """Something that went wrong; the conversation goes on."""
        self._errors.print(
            f"recollect: {text}", style="red", markup=False, highlight=False, soft_wrap=True
        )

    def farewell(self, session_id: str, options: Sequence[str] = ()) -> None:
        """How to come back, with the same options; beside what a pipe gets."""
        command = shlex.join(("recollect", "chat", "--session", session_id, *options))
        text = f"session {session_id} goes on with: {command}"
        self._errors.print(text, style="dim", markup=False, highlight=False, soft_wrap=True)


def source_lines(told: AnswerSummary) -> Iterator[str]:
    """Where the memory behind an answer came from."""
    yield f"understood as: {told.question}"
    if told.messages_in_context:
        yield f"from this conversation: the last {told.messages_in_context} messages"
    if told.has_summary:
        yield "from this conversation: a summary of what came before them"
    for recalled in told.recalled:
        text = " ".join(str(recalled["text"]).split())
        shown = text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
        yield f"recalled from {str(recalled['created_at'])[:10]} ({recalled['score']:.2f}): {shown}"
    if not (told.messages_in_context or told.has_summary or told.recalled):
        yield "from memory: nothing yet"
