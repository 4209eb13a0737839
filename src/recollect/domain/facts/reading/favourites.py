"""Users who say that they like something else best now: "My favourite colour is green".

It takes the place of another one of the same kind in the same language. Anything may be said of a
favourite ("my favourite singer is pregnant"), so only colours are read, and names where a word says
that it was another one before: "now", "actually". What is said before it may take it back: it is
read at the beginning of a text alone.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from recollect.domain.language import fold, without_inner_stops

_READ: Final = 4_000
"""Characters of a text: a pattern that searches more holds Python's interpreter lock too long."""
_HINT: Final = re.compile(r"(?i:favou?ri|lieblings|lievelings|préféré|preferid)")
_LEAD: Final = (
    r"actually|eigenlijk|eigentlich|en fait|en realidad|now|nu|jetzt|maintenant|ahora|oh|well"
    r"|by the way|trouwens|übrigens|au fait|de hecho"
)
_GREETING: Final = (
    r"hi|hello|hey|thanks|ok|okay|no|hoi|hallo|dag|nee|bedankt|nein|danke|bonjour|salut|non|merci"
    r"|hola|gracias"
)
_NOW: Final = (
    r"now|nu|jetzt|maintenant|ahora|these days|nowadays|tegenwoordig|inzwischen"
    r"|again|weer|wieder|de nouveau|otra vez"
)
_KIND: Final = r"(?P<kind>[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,2})"
_SAYING: Final = (
    rf"my favou?rite {_KIND} is",
    rf"mijn (?:favoriete |lievelings){_KIND} is",
    rf"meine? lieblings{_KIND} ist",
    rf"(?:mon|ma) {_KIND} (?:préférée?|favori(?:te)?)(?: est|,? c['\u2019]est)",
    rf"mi {_KIND} (?:favorit[oa]|preferid[oa]) es",
)
_FAVOURITES: Final = tuple(
    re.compile(
        rf"\s{{0,3}}(?:(?i:{_GREETING})[!,.]? )?(?P<lead>(?:(?i:{_LEAD}),? ){{0,2}})"
        rf"(?P<quote>(?P<begin>(?i:{saying}))(?P<now> (?i:{_NOW}))?"
        rf" (?P<value>[^.!?;,:()\n]{{1,60}}?))(?P<lately>,? (?i:{_NOW}))?"
        r"(?=\s*(?:[.!](?:\s|\Z)|\n|\Z))"
    )
    for saying in _SAYING
)
_CHANGES: Final = re.compile(
    rf"(?i:\b(?:actually|eigenlijk|eigentlich|en fait|en realidad|{_NOW})\b)"
)
_COLOUR_KINDS: Final = frozenset(("color", "kleur", "farbe", "couleur"))
_COLOURS: Final = frozenset(
    fold(word)
    for words in (
        "red blue green yellow orange purple pink black white grey gray brown turquoise teal",
        "violet indigo magenta cyan gold silver beige navy maroon lavender lilac burgundy",
        "rood blauw groen geel oranje paars roze zwart wit grijs bruin turkoois goud zilver",
        "rot blau grün gelb lila violett rosa schwarz weiß grau braun türkis silber",
        "rouge bleu vert jaune rose noir blanc gris marron brun",
        "rojo azul verde amarillo naranja morado violeta negro blanco marrón turquesa",
    )
    for word in words.split()
)
_SHADES: Final = frozenset(
    fold(word)
    for words in (
        "dark light bright pale deep donker licht fel dunkles helles foncé clair oscuro claro",
        "el la le",
    )
    for word in words.split()
)
"""Words that may stand beside a colour, and alone are none."""
_MOST_WORDS: Final = 5


class Favourite(NamedTuple):
    """A sentence that tells what a user likes best of a kind."""

    quote: str
    """Verbatim from the text, without what surrounds it."""
    content: str
    """The same without "now"."""
    kind: str
    """In small letters, without accents: "color"."""
    value: str
    is_change: bool
    """Whether a word says that it was another one before."""

    @property
    def is_sure(self) -> bool:
        """Whether the value is one: a colour, or the name of what it is now."""
        words = self.value.split()
        if self.kind in _COLOUR_KINDS:
            colours = [fold(word) for word in words if fold(word) not in _SHADES]
            return bool(colours) and all(map(_is_colour, colours))
        is_name = all(word[0].isupper() for word in words) and len(words) <= _MOST_WORDS
        return self.is_change and is_name


def favourites_in(text: str) -> Iterator[Favourite]:
    """The favourite that a text surely begins with."""
    return (one for one in _read(text) if one.is_sure)


def is_other_favourite(content: str, known: str) -> bool:
    """Whether both tell the favourite of a kind, and not the same: "green" after "blue".

    What is known is nothing else: "my favourite colour is blue and my dog is Rex" is more.
    """
    new = {one.kind: one for one in _read(content)}
    return any(
        one.kind in new
        and fold(new[one.kind].value) != fold(one.value)
        and len(one.quote) == len(known.strip().rstrip(".!"))
        for one in (_read(known) if new else ())
    )


def _read(text: str) -> Iterator[Favourite]:
    if _HINT.search(text[:_READ]) is None:
        return
    read = without_inner_stops(text[:_READ])
    for pattern in _FAVOURITES:
        if found := pattern.match(read):
            value = text[found.start("value") : found.end("value")].strip()
            content = f"{text[found.start('begin') : found.end('begin')]} {value}."
            surroundings = found["lead"], found["now"] or "", found["lately"] or ""
            yield Favourite(
                quote=text[found.start("quote") : found.end("quote")],
                content=content[0].upper() + content[1:],
                kind=fold(found["kind"]).replace("colour", "color"),
                value=value,
                is_change=_CHANGES.search(" ".join(surroundings)) is not None,
            )


def _is_colour(word: str) -> bool:
    """Whether a word is a colour, or ends with one: "donkergroen"."""
    return word.endswith(tuple(_COLOURS))
