"""Users who say that they have moved: "I used to live in Paris, now in Rome", "Me mudé a Vigo".

The place of before is never taken for the home, and what is not surely a home is none: "but now I'm
in Rome for a week".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_WORD: Final = r"[A-ZÀ-ÖØ-Þ][\w'\u2019-]{0,30}"
_JOINT: Final = r"aan|op|am|an|de|del|la|sur"
_PLACE: Final = rf"(?:(?:the|den|de|la|el|le) )?{_WORD}(?: (?:{_WORD}|{_JOINT})){{0,4}}"
_NEW: Final = rf"(?P<new>{_PLACE})"
_START: Final = r"(?:\A|(?<=[.!?\n]))\s{0,3}"
_END: Final = r"(?=\s*(?:[.!\n]|\Z))"
_READ: Final = 4_000
"""Characters of a text: a pattern that searches more holds Python's interpreter lock too long."""
_I_AM: Final = r"(?:i['\u2019]m|i am|i live)"
_LIVED: Final = (
    r"i used to live in",
    r"(?:ik woonde(?: vroeger| eerst)?|vroeger woonde ik|eerst woonde ik) in",
    r"(?:ich (?:wohnte|lebte)(?: früher)?|früher (?:wohnte|lebte) ich) in",
    r"ich habe früher in",
    r"(?:avant,? )?(?:j['\u2019]habitais|je vivais)(?: avant)? (?:à|en|au|aux)",
    r"(?:antes )?vivía(?: antes)? en",
)
"""How sentences begin that tell where somebody lived before."""
_LIVES: Final = (
    (rf"(?:but )?(?:now {_I_AM}|{_I_AM} now|now live) in", r"I live in \g<new>."),
    (
        r"(?:maar )?(?:nu(?: woon ik)?|ik woon nu|woon nu|tegenwoordig(?: woon ik)?) in",
        r"Ik woon in \g<new>.",
    ),
    # "Jetzt bin ich in Rente" is no place, so that a verb has to tell it.
    (
        r"(?:aber )?(?:jetzt (?:wohne|lebe) ich|ich (?:wohne|lebe) jetzt) in",
        r"Ich wohne in \g<new>.",
    ),
    (
        r"(?:gewohnt|gelebt),? (?:aber )?jetzt (?:wohne|lebe) ich in",
        r"Ich wohne in \g<new>.",
    ),
    (
        r"(?:mais )?maintenant (?:(?:j['\u2019]habite|je vis|je suis) )?(?P<at>à|en|au|aux)",
        r"J'habite \g<at> \g<new>.",
    ),
    (r"(?:pero )?ahora (?:(?:vivo|estoy) )?en", r"Vivo en \g<new>."),
)
"""How the same sentences go on, each with the sentence that is left of it."""
_MOVES: Final = tuple(
    (
        re.compile(f"{_START}(?P<said>(?i:{lived}) {_PLACE},? (?i:{lives}) {_NEW}){_END}"),
        content,
    )
    for lived, (lives, content) in zip(_LIVED, _LIVES, strict=True)
)
_LATELY_ES: Final = (
    r"(?:ayer|hace poco|recientemente|(?:esta|la) semana(?: pasada)?|(?:este|el) mes(?: pasado)?"
    r"|hace (?:un|una|dos|tres|unos|unas) (?:semanas?|mes(?:es)?))"
)
_LATELY_FR: Final = (
    r"(?:hier|récemment|(?:cette|la) semaine(?: dernière)?|(?:ce|le) mois(?:-ci| dernier)?"
    r"|il y a (?:un|une|deux|trois|quelques) (?:semaines?|mois))"
)
_SETTLED_FR: Final = r"(?:je viens d['\u2019]emménager|j['\u2019]ai emménagé)"
_MOVED: Final = (
    (
        rf"(?:{_LATELY_ES},? )?me (?:mudé|he mudado) a (?-i:{_NEW})(?:,? {_LATELY_ES})?",
        r"Vivo en \g<new>.",
    ),
    (
        rf"(?:{_LATELY_FR},? )?{_SETTLED_FR} (?P<at>à|en|au|aux) (?-i:{_NEW})(?:,? {_LATELY_FR})?",
        r"J'habite \g<at> \g<new>.",
    ),
)
"""What the model overlooks, of late only: "Me mudé a Vigo en 1990" may tell of a former home."""
_ALL_MOVES: Final = (
    *_MOVES,
    *((re.compile(f"{_START}(?P<said>(?i:{said})){_END}"), content) for said, content in _MOVED),
)
_FORMER: Final = re.compile(rf"(?i:{'|'.join(_LIVED)}) {_PLACE}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A sentence that tells where somebody lives now."""

    quote: str
    """Verbatim from the text: with the place of before."""
    content: str
    """Where the user lives now, as a sentence."""


def moves_in(text: str) -> Iterator[Move]:
    """The moves that a text tells, each in a sentence of its own."""
    for pattern, content in _ALL_MOVES:
        for found in pattern.finditer(text[:_READ]):
            yield Move(quote=found["said"], content=found.expand(content))


def tells_former_home(content: str) -> bool:
    """Whether a sentence begins with where somebody lived before."""
    return _FORMER.match(content) is not None
