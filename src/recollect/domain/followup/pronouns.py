"""Pronouns and possessives, replaced by what they stand for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.binding import is_bound
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.discourse import Discourse
from recollect.domain.followup.grammar import Tag, Text, found_once
from recollect.domain.followup.languages.pack import Kind, LanguagePack, Pronoun
from recollect.domain.followup.phrases import Phrase
from recollect.domain.followup.referents import Referent, agreement
from recollect.domain.followup.tokens import Edit

_RESOLVED: Final = frozenset({Tag.PRONOUN, Tag.POSSESSIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """One reference replaced, and the signal that gave it away."""

    edit: Edit
    signal: Signal
    referent: Referent


def resolve_pronouns(
    text: Text, named: tuple[Phrase, ...], discourse: Discourse, *, only_persons: bool = False
) -> tuple[Resolution, ...]:
    """Replace the first pronoun of each kind; later ones then refer to it."""
    found: list[Resolution] = []
    seen: set[tuple[Kind, bool | None]] = set()
    for place, pronoun in find_pronouns(text, discourse.pack):
        if only_persons and pronoun.kind is not Kind.PERSON:
            continue
        key = (pronoun.kind, pronoun.plural)
        if key in seen or is_bound(text, place, named, discourse.pack):
            seen.add(key)
            continue
        seen.add(key)
        used = [resolution.referent for resolution in found]
        referent = discourse.choose(agreement(pronoun), but_not=used)
        if referent is not None:
            referent.gender = pronoun.gender or referent.gender
            found.append(_replace(text, place, named, referent, discourse.pack))
    return tuple(found)


@found_once
def find_pronouns(text: Text, pack: LanguagePack) -> tuple[tuple[int, Pronoun], ...]:
    """The pronouns that stand for something, with their places."""
    return tuple(_find(text, pack))


def _find(text: Text, pack: LanguagePack) -> Iterator[tuple[int, Pronoun]]:
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
    if _is_in_phrase(text, place, pack.impersonal):
        return True
    at = place + 1 + (text.word(place + 1) in pack.copulas)
    return text.word(at) in pack.pleonastic and text.word(at + 1) in pack.pleonastic_after


def _is_in_phrase(text: Text, place: int, known: tuple[tuple[str, ...], ...]) -> bool:
    word = text.word(place)
    return any(
        said == word and text.words(place - at, place - at + len(phrase)) == phrase
        for phrase in known
        for at, said in enumerate(phrase[: place + 1])
    )


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
