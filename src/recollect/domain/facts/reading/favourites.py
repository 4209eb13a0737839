"""Users who say what they like best: "My favourite colour is green now".

A later favourite of the same kind takes the place of the one before, in any wording and language.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.language import fold

_READ: Final = 4_000
"""Characters of a text: a pattern that searches more holds Python's interpreter lock too long."""
_HINT: Final = re.compile(r"(?i:favou?ri|lieblings|lievelings|préféré|preferid)")
_LEAD: Final = (
    r"(?:(?i:actually|well|oh|so|no|now|by the way|eigenlijk|nou|trouwens|nu|eigentlich|übrigens"
    r"|jetzt|en fait|au fait|maintenant|en realidad|de hecho|ahora),? ){0,2}"
)
_KIND: Final = r"(?P<kind>[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,2})"
_SAYING: Final = (
    rf"my favou?rite {_KIND} is",
    rf"mijn (?:favoriete |lievelings){_KIND} is",
    rf"meine? lieblings{_KIND} ist",
    rf"(?:mon|ma) {_KIND} (?:préférée?|favorite?)(?: est|,? c['\u2019]est)",
    rf"mi {_KIND} (?:favorit[oa]|preferid[oa]) es",
)
_NOW: Final = r"now|nu|jetzt|maintenant|ahora"
_LATELY: Final = (
    r"now|these days|nowadays|nu|tegenwoordig|jetzt|inzwischen|maintenant|ahora|btw|by the way|haha"
)
_FAVOURITES: Final = tuple(
    re.compile(
        rf"(?:\A|(?<=[.!?\n]))\s{{0,3}}{_LEAD}"
        rf"(?P<said>(?P<saying>(?i:{saying}))(?: (?i:{_NOW}|still))?"
        rf" (?P<value>[^.!?;,:()\n]{{1,60}}?))"
        rf"(?:,? (?i:{_LATELY}))?(?=\s*(?:[.!;)\n]|, |\Z))"
    )
    for saying in _SAYING
)
_MOST_WORDS: Final = 5
"""Of a value; more are a sentence: "when he sings about his father"."""
_NO_KINDS: Final = frozenset(
    (
        *("thing", "part", "bit", "line", "quote", "one", "time", "moment", "deel", "ding", "stuk"),
        *("teil", "stelle", "moment", "partie", "chose", "parte", "cosa", "momento"),
    )
)
"""Kinds of what is talked about, not of what somebody likes for good."""
_NO_VALUES: Final = frozenset(
    (
        *(
            "not",
            "when",
            "that",
            "what",
            "where",
            "how",
            "to",
            "if",
            "because",
            "still",
            "also",
            "no",
        ),
        *("niet", "wanneer", "dat", "wat", "waar", "hoe", "om", "als", "geen", "ook", "nog"),
        *("nicht", "wenn", "dass", "was", "wo", "wie", "zu", "kein", "keine", "auch", "noch"),
        *(
            "pas",
            "quand",
            "que",
            "ce",
            "quoi",
            "où",
            "si",
            "aussi",
            "de",
            "cuando",
            "lo",
            "tambien",
        ),
        *("it", "this", "these", "those", "he", "she", "dit", "die", "deze", "das", "dies", "ça"),
        *("eso", "esto", "esta", "este", "unknown", "secret", "geheim", "secreto"),
    )
)
"""Words with which no value begins."""
_JOINED: Final = re.compile(
    r"(?i: (?:and|but|because|en|maar|omdat|und|aber|weil|et|mais|y|pero|porque) )"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Favourite:
    """A sentence that tells what a user likes best of a kind."""

    quote: str
    """Verbatim from the text, without what surrounds it."""
    content: str
    """The same without "now"."""
    kind: str
    """In small letters, without accents: "color"."""
    value: str


def favourites_in(text: str) -> Iterator[Favourite]:
    """The favourites that a text tells, each in a sentence of its own."""
    if _HINT.search(text[:_READ]) is None:
        return
    for pattern in _FAVOURITES:
        for found in pattern.finditer(text[:_READ]):
            kind, value = _kind_of(found["kind"]), found["value"].strip()
            if _is_value(value) and kind not in _NO_KINDS:
                content = f"{found['saying']} {value}."
                yield Favourite(
                    quote=found["said"],
                    content=content[0].upper() + content[1:],
                    kind=kind,
                    value=fold(value),
                )


def is_other_favourite(content: str, known: str) -> bool:
    """Whether both tell the favourite of a kind, and not the same: "green" after "blue"."""
    new = {one.kind: one.value for one in favourites_in(content)}
    old = {one.kind: one.value for one in favourites_in(known)} if new else {}
    return any(old[kind] != new[kind] for kind in new.keys() & old.keys())


def _kind_of(words: str) -> str:
    """A kind as it is compared: "colour" is "color"."""
    return fold(words).replace("our", "or")


def _is_value(value: str) -> bool:
    words = fold(value).split()
    return (
        0 < len(words) <= _MOST_WORDS and words[0] not in _NO_VALUES and not _JOINED.search(value)
    )
