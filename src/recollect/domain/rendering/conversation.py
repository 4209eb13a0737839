"""A context as one block of a system prompt, in Dutch or English."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recollect.domain.message import Message, Role
from recollect.domain.rendering.quoting import quoted
from recollect.domain.rendering.recalled import earlier_line

if TYPE_CHECKING:
    from recollect.domain.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    heading: str
    recalled: str
    summary: str
    user: str
    assistant: str
    system: str


_LANGUAGES: Final = {
    "nl": _Words(
        heading="**Eerdere gesprek:**",
        recalled="**Verwante eerdere vragen:**",
        summary="Samenvatting",
        user="Gebruiker",
        assistant="Assistent",
        system="Systeem",
    ),
    "en": _Words(
        heading="**Earlier conversation:**",
        recalled="**Related earlier questions:**",
        summary="Summary",
        user="User",
        assistant="Assistant",
        system="System",
    ),
}

RECALLED_HEADINGS: Final = tuple(words.recalled for words in _LANGUAGES.values())


def conversation_block(context: "Context", *, language: str = "en") -> str:
    """The conversation so far and what it recalls; nothing where nothing was said."""
    words = _LANGUAGES.get(language, _LANGUAGES["en"])
    lines = [words.heading] if context.window or context.summary else []
    if context.summary:
        lines.append(f'{words.summary}: "{quoted(context.summary)}"')
    lines += [block_line(said, language=language) for said in context.window]
    if context.recalled:
        lines.append(words.recalled)
    lines += [earlier_line(recalled, language=language) for recalled in context.recalled]
    return "\n\n".join(lines)


def block_line(message: Message, *, language: str = "en") -> str:
    """The line that stands for a message."""
    words = _LANGUAGES.get(language, _LANGUAGES["en"])
    names = {Role.USER: words.user, Role.ASSISTANT: words.assistant, Role.SYSTEM: words.system}
    return f'{names[message.role]}: "{quoted(message.content)}"'
