"""Words of a data question that stand for the rows of the last one: "its", "those", "above"."""

from typing import Final

from recollect.domain.followup.binding import is_bound
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.phrases import phrases
from recollect.domain.followup.query import Query
from recollect.domain.followup.tokens import Edit, apply_edits

_POINTING: Final = frozenset({Tag.PRONOUN, Tag.POSSESSIVE})
_OWNED: Final = frozenset({Tag.NOUN, Tag.NUMBER, Tag.CONJUNCTION})


def resolve_reference(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """Replace the first pronoun or demonstrative by what the last question was about."""
    named = phrases(body, pack)
    for place, token in enumerate(body.tokens):
        if token.lower in pack.pronouns and body.tags[place] in _POINTING:
            if is_bound(body, place, named, pack):
                continue
            return _replace_pronoun(body, place, query, pack)
        preposition = pack.pronominal_adverbs.get(token.lower)
        if preposition:
            said = f"{preposition} {query.rows(pack)}"
            return _replace(body, place, place + 1, said), Signal.PRONOMINAL_ADVERB
        if token.lower in pack.demonstratives and body.tags[place] is not Tag.CLAUSE:
            return _replace_demonstrative(body, place, query, pack)
    return None


def resolve_above(body: Text, query: Query, pack: LanguagePack) -> tuple[str, Signal] | None:
    """As in "the names from the above results": the rows are those of the last question."""
    for place in range(1, len(body.tokens)):
        if body.word(place) in pack.above_words and body.word(place - 1) in pack.definite:
            end = place + 1 + (body.word(place + 1) in pack.above_words)
            said = _replace(body, place - 1, end, query.rows(pack))
            return said, Signal.DEMONSTRATIVE
    return None


def _replace_pronoun(
    body: Text, place: int, query: Query, pack: LanguagePack
) -> tuple[str, Signal]:
    if body.tags[place] is not Tag.POSSESSIVE:
        return _replace(body, place, place + 1, query.rows(pack)), Signal.PRONOUN
    end = place + 1
    while end < len(body.tokens) and body.tags[end] in _OWNED:
        end += 1
    owned, owner = body.between(place + 1, end), query.rows(pack, as_owner=True)
    said = f"{pack.the} {owned} {pack.of} {owner}"
    if len(pack.definite) > 1:
        said = pack.possess(owner, owned, body.word(place))  # which knows the article
    return _replace(body, place, end, said), Signal.POSSESSIVE


def _replace_demonstrative(
    body: Text, place: int, query: Query, pack: LanguagePack
) -> tuple[str, Signal] | None:
    end = place + 1
    while body.tag(end) is Tag.NOUN:
        end += 1
    noun = body.between(place + 1, end)
    said = _described(noun, query, pack) if noun else query.rows(pack)
    if said.lower() == noun.lower():
        return None
    return _replace(body, place, end, said), Signal.DEMONSTRATIVE


def _described(noun: str, query: Query, pack: LanguagePack) -> str:
    """As in "that studio" → "studio paramount", as the last question had it."""
    head = noun.lower().split()[-1]
    forms = {head, head.removesuffix("s"), f"{head}s"}
    text = query.text
    if text.word(query.target_end - 1) in forms:
        return query.rows(pack)
    if text.word(query.front_end) in pack.ordering:
        return noun
    for place in (*range(query.target_end, query.end), *range(query.front_end)):
        if text.word(place) in forms:
            start = place
            while start and text.tags[start - 1] is Tag.NOUN:
                start -= 1
            if place >= query.front_end:
                return text.between(start, query.end)
            return f"{text.between(start, query.front_end - 1)} {query.rest}".strip()
    return " ".join(part for part in (noun, query.rest, query.front) if part)


def _replace(body: Text, first: int, last: int, said: str) -> str:
    start, end = body.tokens[first].start, body.tokens[last - 1].end
    return apply_edits(body.text, [Edit(start=start, end=end, text=said)])
