"""Names: runs of capitalised words and quoted titles."""

from typing import Final

from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack

_MAX_NAME_WORDS: Final = 9
_YEAR_DIGITS: Final = 4
_QUOTES: Final = {'"': '"', "\u201c": "\u201d", "\u2018": "\u2019", "«": "»", "\u201e": "\u201c"}
# Small words that names have inside: "University of the Arts", "Vincent van Gogh".
_LINKS: Final = frozenset(
    {
        "of", "the", "de", "la", "le", "du", "des", "van", "von", "der", "den", "het", "el", "los",
        "las", "di", "da", "al",
    }
)  # fmt: skip
_JOINS: Final = frozenset({"and", "&", "y", "en", "und", "et"})
_SENTENCE_STARTS_AFTER: Final = frozenset({".", "?", "!", ":", '"', "\u201c", ")"})
_PREDICATES: Final = frozenset({Tag.AUXILIARY, Tag.POSSESSIVE, Tag.VERB})


def quoted_end(text: Text, place: int) -> int:
    """Where the title whose opening quote stands here ends, or 0."""
    closing = _QUOTES.get(text.tokens[place].text)
    if closing is None:
        return 0
    limit = min(len(text.tokens), place + _MAX_NAME_WORDS + 2)
    for end in range(place + 2, limit):
        if text.tokens[end].text == closing:
            return end + 1
    return 0


def name_end(text: Text, place: int, pack: LanguagePack) -> int:
    """Where the name that starts here ends, or 0."""
    if not text.tokens[place].is_capitalised or not _starts_name(text, place, pack):
        return 0
    end = place + 1
    while end < len(text.tokens) and end - place < _MAX_NAME_WORDS:
        step = _step(text, place, end)
        if not step:
            break
        end += step
    if pack.capital_nouns and end - place == 1 and text.tag(place - 1) is Tag.DETERMINER:
        return 0
    return end


def _starts_name(text: Text, place: int, pack: LanguagePack) -> bool:
    if text.tags[place] is not Tag.NOUN:
        return _is_title_article(text, place, pack)
    return not _opens_sentence(text, place) or _is_unusual(text, place, pack)


def _is_title_article(text: Text, place: int, pack: LanguagePack) -> bool:
    """As in "The Birds" inside a sentence: the article belongs to the name."""
    return (
        text.word(place) in pack.definite
        and not _opens_sentence(text, place)
        and _is_capital(text, place + 1)
    )


def _opens_sentence(text: Text, place: int) -> bool:
    return place == 0 or text.word(place - 1) in _SENTENCE_STARTS_AFTER


def _is_unusual(text: Text, place: int, pack: LanguagePack) -> bool:
    """At the start of a sentence every word has a capital: what follows must speak for a name."""
    word = text.word(place)
    if word in pack.closed or word in pack.requests or pack.is_verb(word):
        return False
    if place + 1 >= len(text.tokens) or _is_capital(text, place + 1):
        return True
    return text.tags[place + 1] in _PREDICATES


def _step(text: Text, start: int, end: int) -> int:
    """How many tokens the name goes on for at `end`."""
    token = text.tokens[end]
    if token.is_number:
        is_year = len(token.text) >= _YEAR_DIGITS
        return int(text.tokens[end - 1].is_capitalised and not is_year)
    if token.is_word and token.is_capitalised:
        return 1
    if token.lower in {"'s", "\u2019s"} or (token.lower in _JOINS and end - start == 1):
        return 2 if _is_capital(text, end + 1) else 0
    if token.lower not in _LINKS:
        return 0
    if _is_capital(text, end + 1):
        return 2
    return 3 if text.word(end + 1) in _LINKS and _is_capital(text, end + 2) else 0


def _is_capital(text: Text, place: int) -> bool:
    return place < len(text.tokens) and text.tokens[place].is_capitalised
