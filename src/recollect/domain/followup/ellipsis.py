"""Ellipsis: a fragment takes its place in the last full question."""

from typing import Final

from recollect.domain.followup.alignment import Alignment, align
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.query import Query
from recollect.domain.followup.splicing import join
from recollect.domain.followup.values import can_replace, value_type

_CLEAR_MATCH: Final = 1.4
_BOUNDARIES: Final = frozenset(
    {Tag.PREPOSITION, Tag.CLAUSE, Tag.CONJUNCTION, Tag.AUXILIARY, Tag.VERB, Tag.MARK, Tag.QUESTION}
)
_LINKS: Final = frozenset({Tag.PREPOSITION, Tag.CLAUSE, Tag.CONJUNCTION, Tag.MARK})


def substitute(query: Query, fragment: Text, pack: LanguagePack) -> str | None:
    """Put a fragment where the question says something alike; None if it does not."""
    return _substitute(query, fragment, align(query.text, fragment, pack), pack)


def substitute_value(query: Query, fragment: Text, pack: LanguagePack) -> str | None:
    """Put a fragment in only where one of its values takes the place of a like-typed one."""
    alignment = align(query.text, fragment, pack)
    has_value = any(
        can_replace(fragment.word(other), query.text.word(place), pack)
        for place, other in alignment.pairs
    )
    return _substitute(query, fragment, alignment, pack) if has_value else None


def _substitute(
    query: Query, fragment: Text, alignment: Alignment, pack: LanguagePack
) -> str | None:
    if not alignment.pairs:
        return None
    is_clear = alignment.score >= _CLEAR_MATCH
    if is_clear or _opens_alike(query, fragment, alignment, pack):
        return _splice(query, fragment, alignment, pack)
    return None


def drop_restriction(query: Query, wanted: Text, pack: LanguagePack) -> str | None:
    """Take out the restriction that speaks of what is wanted gone."""
    alignment = align(query.text, wanted, pack)
    if alignment.score < _CLEAR_MATCH:
        return None
    full = query.text
    start, stop = alignment.pairs[0][0], alignment.pairs[-1][0] + 1
    while start > query.target_start and full.tags[start - 1] not in _BOUNDARIES:
        start -= 1
    while start > 1 and full.tags[start - 1] in _LINKS:
        start -= 1
    links = pack.comparators | {pack.of}
    goes_on = full.tag(stop) in {Tag.AUXILIARY, Tag.VERB} or full.word(stop) in links
    while stop < query.end and (goes_on or full.tags[stop] is Tag.NUMBER):
        stop += 1
        goes_on = full.tag(stop) not in _LINKS
    left = full.text[: full.tokens[start - 1].end] if start else ""
    return f"{left}{full.text[full.tokens[stop - 1].end :]}".strip()


def _opens_alike(query: Query, fragment: Text, alignment: Alignment, pack: LanguagePack) -> bool:
    """As in "by finish" for "by start": one preposition, and values of one type behind it."""
    (place, other), *more = alignment.pairs
    if more or other or fragment.tag(0) is not Tag.PREPOSITION or len(fragment.tokens) == 1:
        return False
    if fragment.word(0) in pack.grouping:
        return True
    behind = query.text.words(place + 1, _value_end(query, place + 1))
    old = {value_type(word, pack) for word in behind}
    new = {value_type(token.lower, pack) for token in fragment.tokens[1:]}
    return (old == {None}) == (new == {None})


def _splice(query: Query, fragment: Text, alignment: Alignment, pack: LanguagePack) -> str:
    full = query.text
    start, stop = alignment.pairs[0][0], alignment.pairs[-1][0] + 1
    if alignment.pairs[0][1]:
        while start > query.target_start and full.tags[start - 1] not in _BOUNDARIES:
            start -= 1
        is_preposition = {full.tag(start - 1), fragment.tag(0)} == {Tag.PREPOSITION}
        start -= is_preposition or full.word(start - 1) == fragment.word(0)
    parts = _merge(full, fragment, alignment)
    if alignment.pairs[-1][1] + 1 < len(fragment.tokens):
        if full.tag(stop - 1) is Tag.PREPOSITION:
            parts[1:1] = _column(full, stop, fragment, pack)
        stop = _value_end(query, stop)
    return join(full, start, " ".join(parts), stop)


def _value_end(query: Query, place: int) -> int:
    """The end of the value that follows; a linking "is" or "of" belongs to it."""
    full = query.text
    if full.tag(place) in {Tag.AUXILIARY, Tag.PREPOSITION}:
        place += 1
    while place < query.end and full.tags[place] not in _BOUNDARIES:
        place += 1
    return place


def _column(full: Text, place: int, fragment: Text, pack: LanguagePack) -> list[str]:
    """The noun that says what kind of value follows, if the fragment leaves it out."""
    end = place + (full.tag(place) is Tag.DETERMINER)
    has_value = full.tag(end + 1) in {Tag.NOUN, Tag.NUMBER}
    own = {token.lower for token in fragment.tokens}
    is_column = full.word(end) in pack.column_nouns and full.word(end) not in own
    return [full.between(place, end + 1)] if is_column and has_value else []


def _merge(full: Text, fragment: Text, alignment: Alignment) -> list[str]:
    """The fragment, with the words of the question that stand before a bare value kept."""
    parts: list[str] = []
    before_full, before_part = alignment.pairs[0][0], 0
    for place, other in alignment.pairs:
        is_value = full.word(place) != fragment.word(other)
        if before_part == other and is_value:
            gap = range(before_full, place)
            parts += [full.tokens[at].text for at in gap if full.tags[at] is Tag.NOUN]
        parts += [token.text for token in fragment.tokens[before_part : other + 1]]
        before_full, before_part = place + 1, other + 1
    return [*parts, *(token.text for token in fragment.tokens[before_part:])]
