"""Noun phrases: the things a text talks about."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from recollect.domain.followup.grammar import Tag, Text, found_once
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.names import name_end, quoted_end

_PHRASE_TAGS: Final = frozenset({Tag.NOUN, Tag.NUMBER})
_OPENS: Final = _PHRASE_TAGS | {Tag.MARK}


class Phrase(NamedTuple):
    """A noun phrase: tokens `first` to before `last`, without its determiner.

    A tuple like `Token`, and for the same reason.
    """

    text: str
    words: tuple[str, ...]
    first: int
    last: int
    is_name: bool
    is_quoted: bool
    determiner: str
    before: str  # the word that leads to the phrase

    @property
    def head(self) -> str:
        """The noun the phrase is about."""
        return self.words[-1]

    @property
    def start(self) -> int:
        """Its first token, the determiner included."""
        return self.first - bool(self.determiner)


@found_once
def phrases(text: Text, pack: LanguagePack) -> tuple[Phrase, ...]:
    """All noun phrases of a text, in order."""
    return tuple(_find(text, pack))


def is_adjective(word: str, pack: LanguagePack) -> bool:
    """Whether a word with a capital is an adjective: "Chinese", "Italian"."""
    return bool(pack.adjective_endings) and word.endswith(pack.adjective_endings)


def _find(text: Text, pack: LanguagePack) -> Iterator[Phrase]:
    place, tokens, tags = 0, text.tokens, text.tags
    while place < len(tokens):
        if tags[place] not in _OPENS and not tokens[place].is_capitalised:
            place += 1
            continue
        end = quoted_end(text, place) if tags[place] is Tag.MARK else 0
        if end:
            yield _phrase(text, place + 1, end - 1, is_name=True, is_quoted=True)
        else:
            end, is_name = _end(text, place, pack)
            if end > place:
                yield _phrase(text, place, end, is_name=is_name)
        place = max(end, place + 1)


def _end(text: Text, place: int, pack: LanguagePack) -> tuple[int, bool]:
    """Where the phrase that starts here ends, and whether it is a name."""
    end = name_end(text, place, pack)
    if end:
        stop = _with_noun(text, place, end, pack)
        return stop, stop == end or not is_adjective(text.word(place), pack)
    end = place
    while end < len(text.tokens) and text.tags[end] in _PHRASE_TAGS:
        named = name_end(text, end, pack) if end > place else 0
        if named:
            return _join_name(text, place, end, named, pack)
        if end > place and _trails(text, end, pack):
            break
        end += 1
    return end, False


def _trails(text: Text, place: int, pack: LanguagePack) -> bool:
    """An adjective after its noun is said of it: "was the album popular"."""
    adjectives = pack.adjectives
    if text.word(place) in adjectives and text.word(place - 1) not in adjectives:
        return True
    is_last = text.tag(place + 1) not in _PHRASE_TAGS
    return (
        is_last
        and bool(pack.predicate_endings)
        and text.word(place).endswith(pack.predicate_endings)
    )


def _with_noun(text: Text, first: int, end: int, pack: LanguagePack) -> int:
    """As in "the Neverending Story film", "Blue whales": the noun after the name belongs to it."""
    has_determiner = first > 0 and text.tags[first - 1] is Tag.DETERMINER
    if not has_determiner and end - first > 1:
        return end
    while (
        text.tag(end) is Tag.NOUN
        and not text.tokens[end].is_capitalised
        and text.word(end) not in pack.adjectives
    ):
        end += 1
    return end


def _join_name(
    text: Text, first: int, middle: int, end: int, pack: LanguagePack
) -> tuple[int, bool]:
    """Whether "nominal GDP", one phrase, or "the film Alien", which are two."""
    stands_before = text.word(middle - 1)
    is_apposition = stands_before in pack.class_nouns or stands_before in pack.person_nouns
    if is_apposition or end - middle > 1 or text.tags[first] is Tag.NUMBER:
        return middle, False
    return _with_noun(text, middle, end, pack), True


def _phrase(text: Text, first: int, last: int, *, is_name: bool, is_quoted: bool = False) -> Phrase:
    has_determiner = text.tag(first - 1) is Tag.DETERMINER
    return Phrase(
        text=text.between(first, last),
        words=text.words(first, last),
        first=first,
        last=last,
        is_name=is_name,
        is_quoted=is_quoted,
        determiner=text.word(first - 1) if has_determiner else "",
        before=text.word(first - 1 - has_determiner),
    )
