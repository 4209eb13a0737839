"""What a text names, each thing read as a referent and weighed by where it stands."""

from collections.abc import Iterator
from typing import NamedTuple

from recollect.domain.followup.grammar import Text
from recollect.domain.followup.languages.pack import Kind, LanguagePack
from recollect.domain.followup.mentions import (
    classes_of,
    is_introduced,
    names_its_subject,
    weigh_in_answer,
    weigh_in_question,
    with_complement,
)
from recollect.domain.followup.phrases import Phrase, phrases
from recollect.domain.followup.referents import Referent, referent_of


class Mention(NamedTuple):
    """A thing named once; the referent is a pattern to copy, for texts are read but once."""

    weight: float
    referent: Referent


def mentions_in_question(text: Text, pack: LanguagePack) -> Iterator[Mention]:
    """What a question names, in order."""
    for phrase in phrases(text, pack):
        weight = weigh_in_question(text, phrase, pack)
        if weight > 0:
            yield Mention(weight=weight, referent=_describe(text, phrase, pack))


def mentions_in_answer(text: Text, pack: LanguagePack) -> Iterator[Mention]:
    """What an answer names, in order."""
    for phrase in phrases(text, pack):
        weight = weigh_in_answer(text, phrase, pack)
        if weight > 0:
            yield Mention(weight=weight, referent=_describe(text, phrase, pack))


def _describe(text: Text, phrase: Phrase, pack: LanguagePack) -> Referent:
    end = with_complement(text, phrase, pack)
    is_name = (
        phrase.is_name
        or (not phrase.determiner and is_introduced(text, phrase, pack))
        or names_its_subject(text, phrase, pack)
    )
    said = text.words(phrase.first, end)
    referent = referent_of(text.between(phrase.first, end), said, pack, is_name=is_name)
    referent.head = phrase.head
    referent.determiner = _article(phrase, pack)
    referent.place = phrase.before if phrase.before in pack.place_prepositions else ""
    referent.is_quoted = phrase.is_quoted
    referent.classes = classes_of(text, phrase, pack)
    is_called_thing = bool(referent.classes - pack.person_nouns)
    is_the = referent.kind is Kind.PERSON and bool(referent.determiner)
    if is_called_thing or is_the:
        referent.kind = Kind.THING
    return referent


def _article(phrase: Phrase, pack: LanguagePack) -> str:
    """What was "a restaurant" when first named is "the restaurant" from then on."""
    determiner = phrase.determiner
    if determiner in pack.definite:
        return determiner
    if determiner not in pack.indefinite:
        return ""
    # Where articles have genders, the right one cannot be known: "een huis", "het huis".
    return pack.the if len(pack.definite) == 1 else determiner
