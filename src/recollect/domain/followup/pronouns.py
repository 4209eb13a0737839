"""Pronouns and possessives, replaced by what they stand for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import Kind, LanguagePack, Pronoun
from recollect.domain.followup.phrases import Phrase
from recollect.domain.followup.referents import Referent, agreement
from recollect.domain.followup.tokens import Edit

_RESOLVED: Final = frozenset({Tag.PRONOUN, Tag.POSSESSIVE})
_PREDICATES: Final = frozenset({Tag.AUXILIARY, Tag.VERB, Tag.QUESTION, Tag.CLAUSE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """One reference replaced, and the signal that gave it away."""

    edit: Edit
    signal: Signal
    referent: Referent


def resolve_pronouns(
    text: Text, named: tuple[Phrase, ...], discourse: Discourse
) -> tuple[Resolution, ...]:
    """Replace the first pronoun of each kind; later ones then refer to it."""
    found: list[Resolution] = []
    seen: set[tuple[Kind, bool | None]] = set()
    for place, pronoun in find_pronouns(text, discourse.pack):
        key = (pronoun.kind, pronoun.plural)
        if key in seen or is_bound(text, place, pronoun, named):
            seen.add(key)
            continue
        seen.add(key)
        used = [resolution.referent for resolution in found]
        referent = discourse.choose(agreement(pronoun), but_not=used)
        if referent is not None:
            referent.gender = pronoun.gender or referent.gender
            found.append(_replace(text, place, named, referent, discourse.pack))
    return tuple(found)


def find_pronouns(text: Text, pack: LanguagePack) -> Iterator[tuple[int, Pronoun]]:
    """The pronouns that stand for something, with their places."""
    for place, token in enumerate(text.tokens):
        pronoun = pack.pronouns.get(token.lower)
        if pronoun is None or text.tags[place] not in _RESOLVED:
            continue
        if not _is_pleonastic(text, place, pack):
            yield place, pronoun


def _is_pleonastic(text: Text, place: int, pack: LanguagePack) -> bool:
    """As in "Is it possible to …", "it rains", "it is clear that": it stands for nothing."""
    if pack.pronouns[text.word(place)].kind is Kind.PERSON:
        return False
    if any(token.lower in pack.impersonal_verbs for token in text.tokens):
        return True
    at = place + 1 + (text.word(place + 1) in pack.copulas)
    return text.word(at) in pack.pleonastic and text.word(at + 1) in pack.pleonastic_after


def is_bound(text: Text, place: int, pronoun: Pronoun, named: tuple[Phrase, ...]) -> bool:
    """Whether something the question itself names earlier explains the pronoun."""
    owns = text.tags[place] is Tag.POSSESSIVE
    for phrase in named:
        if phrase.last > place:
            break
        is_far = _is_in_next_clause(text.tags[phrase.last : place])
        if phrase.is_name:
            if pronoun.kind is not Kind.PERSON or owns or is_far:
                return True
        elif pronoun.kind is not Kind.PERSON:
            is_subject = owns and text.tag(phrase.first - 1) is Tag.AUXILIARY
            if is_far or is_subject:
                return text.tag(phrase.first - 1) is not Tag.QUESTION
    return False


def _is_in_next_clause(between: tuple[Tag, ...]) -> bool:
    """As in "What is X, and why is it …": a boundary, and a verb behind it."""
    for place, tag in enumerate(between):
        if tag in {Tag.CLAUSE, Tag.QUESTION}:
            return True
        if tag in {Tag.CONJUNCTION, Tag.MARK}:
            return any(later in _PREDICATES for later in between[place:])
    return False


def _replace(
    text: Text, place: int, named: tuple[Phrase, ...], referent: Referent, pack: LanguagePack
) -> Resolution:
    token = text.tokens[place]
    if text.tags[place] is not Tag.POSSESSIVE:
        is_inverted = text.word(place - 1) == "-"  # French "est-elle"
        start = text.tokens[place - 1].start if is_inverted else token.start
        said = f" {referent.as_said}" if is_inverted else referent.as_said
        edit = Edit(start=start, end=token.end, text=said)
        return Resolution(edit=edit, signal=Signal.PRONOUN, referent=referent)
    owned = next((phrase for phrase in named if phrase.first == place + 1), None)
    last = owned.last if owned else place + 2
    said = pack.possess(referent.as_said, text.between(place + 1, last), token.lower)
    edit = Edit(start=token.start, end=text.tokens[last - 1].end, text=said)
    return Resolution(edit=edit, signal=Signal.POSSESSIVE, referent=referent)
