"""Things of the user's that a command names by a noun: "forget my bike", "forget my wife's name".

What the noun means is told by the facts: exactly one must be about it, and no other mention it.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from recollect.domain.facts.fact import MERGED_BY, Fact
from recollect.domain.facts.reading.belongings import belongs_to_another, is_about_another
from recollect.domain.facts.reading.languages import FactWords, fact_words, phrases_of_all
from recollect.domain.facts.reading.languages.slot_names import slots_named
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in

_MOST_NOUNS: Final = 2
"""Words behind "my": "phone number"."""
_MOST_BEHIND: Final = 8
"""Words behind a noun that may only tell more of it: "that is afraid of cars"."""
_SIGNS: Final = ("&", "/", "+", ";", "(", " - ", " \u2013 ", " \u2014 ", ". ", "! ", "? ")
"""Signs that join something else to what is told."""
_AS_A: Final = (("as", "a"), ("as", "an"))
"""What stands before a role."""
_CASES: Final = ("es", "s")
"""Endings that a noun has behind "of my" in German, and without which facts have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedThing:
    """A thing or a person of the user's, or one attribute of it alone."""

    nouns: Phrase
    """What it is called, without its possessive: "bike"."""
    attribute: Phrase = ()
    """What of it is meant: the "name" of "my wife's name"; empty: all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFacts:
    """What a noun may mean among some facts."""

    certain: Fact | None
    """The only one that it can mean; None if there is none, or any doubt."""
    possible: tuple[Fact, ...]
    """All that are about it or mention it."""


def things_at(words: Phrase, place: int, known: FactWords) -> Iterator[tuple[NamedThing, int]]:
    """The things of the user's that are named at a place, and the places after them.

    The shortest reading comes first.
    """
    owner = known.owners_named.length_at(words, place)
    for nouns, end in _nouns_at(words, place + owner, known) if owner else ():
        yield NamedThing(nouns=nouns), end
        genitive = known.genitives.length_at(words, end)
        for attribute, last in _nouns_at(words, end + genitive, known) if genitive else ():
            yield NamedThing(nouns=nouns, attribute=attribute), last
    article = known.articles_named.length_at(words, place)
    for attribute, end in _nouns_at(words, place + article, known) if article else ():
        of_mine = known.of_mine.length_at(words, end)
        for nouns, last in _nouns_at(words, end + of_mine, known) if of_mine else ():
            yield NamedThing(nouns=nouns, attribute=attribute), last


def facts_named(thing: NamedThing, facts: Iterable[Fact]) -> NamedFacts:
    """The facts that a thing of the user's may mean."""
    if thing.attribute:
        return _facts_of_attribute(thing, tuple(facts))
    nouns = thing.nouns
    slots = {slot.value for slot in slots_named(nouns)}
    possible = tuple(one for one in facts if one.slot in slots or _mentions(one, nouns))
    only = possible[0] if len(possible) == 1 else None
    is_certain = only is not None and (
        is_told_of(only.content, thing) or (only.slot in slots and is_one_of_user(only))
    )
    return NamedFacts(certain=only if is_certain else None, possible=possible)


def is_told_of(text: str, thing: NamedThing) -> bool:
    """Whether a text says something of this thing of the user's, and of nothing else."""
    known = [fact_words(code) for code in LANGUAGES]
    return all(
        not any(sign in part for sign in _SIGNS)
        and any(_is_about(words_in(part), thing, one) for one in known)
        for part in text.split(MERGED_BY)
    )


def is_one_of_user(fact: Fact) -> bool:
    """Whether a fact says one thing, and of the user: the allergy of a daughter is not theirs."""
    return not tells_several(words_in(fact.content)) and not any(
        is_about_another(part) or belongs_to_another(part) for part in fact.content.split(MERGED_BY)
    )


def tells_several(words: Phrase) -> bool:
    """Whether words may tell several things, in any language.

    Dutch joins by "en", which is the "in" of French and Spanish.
    """
    others = ["nl"] if _is_spanish_or_french(words) else []
    return any(_is_joined(words, fact_words(code)) for code in LANGUAGES if code not in others)


def _is_spanish_or_french(words: Phrase) -> bool:
    """Whether words begin as "Vivo en …", "Yo vivo en …" or "J'habite en …" do."""
    has_subject = (
        known.own_verbs.length_at(words, subject) > 0
        for known in (fact_words("es"), fact_words("fr"))
        if (subject := known.subjects.length_at(words))
    )
    return fact_words("es").own_verbs.length_at(words) > 0 or any(has_subject)


def _facts_of_attribute(thing: NamedThing, facts: tuple[Fact, ...]) -> NamedFacts:
    """The facts that tell an attribute; those that repeat its value may be meant as well."""
    owned = tuple(
        one for one in facts if any(_mentions(one, nouns) for nouns in _cases_of(thing.nouns))
    )
    about = [one for one in owned if is_told_of(one.content, thing)]
    if not about:
        return NamedFacts(certain=None, possible=owned)
    values = {word for one in about for word in _value_of(one, thing)}
    meant = {one.fact_id for one in about}
    meant |= {one.fact_id for one in owned if _mentions(one, thing.attribute)}
    possible = tuple(
        one for one in facts if one.fact_id in meant or not values.isdisjoint(words_in(one.content))
    )
    return NamedFacts(certain=possible[0] if len(possible) == 1 else None, possible=possible)


def _value_of(fact: Fact, thing: NamedThing) -> Iterator[str]:
    """The words of a fact that are neither a thing nor its attribute."""
    known = {word for nouns in _cases_of(thing.nouns) for word in (*nouns, *thing.attribute)}
    verbs = [fact_words(code) for code in LANGUAGES]
    for word in words_in(fact.content):
        is_verb = any((word,) in one.statement_verbs or (word,) in one.called for one in verbs)
        is_value = word.isalnum() and len(word) > 1 and not is_common_word(word)
        if is_value and word not in known and not is_verb and not _is_name_noun((word,)):
            yield word


def _is_about(words: Phrase, thing: NamedThing, known: FactWords) -> bool:
    if thing.attribute:
        return any(_tells(words, nouns, thing.attribute, known) for nouns in _cases_of(thing.nouns))
    return _begins_with(words, thing.nouns, known) or _tells_having(words, thing.nouns, known)


def _begins_with(words: Phrase, nouns: Phrase, known: FactWords) -> bool:
    """Whether words begin as "my bike is" does, and go on with nothing else."""
    start = known.owners.length_at(words)
    end = start + len(nouns)
    verb = known.statement_verbs.length_at(words, end) or int(words[end : end + 1] == (":",))
    is_named = start > 0 and words[start:end] == nouns and verb > 0
    return is_named and _is_one_matter(words[end + verb :], known)


def _tells_having(words: Phrase, nouns: Phrase, known: FactWords) -> bool:
    """Whether words say that the user has a thing, and no more than that: "I have a bike"."""
    start = known.having.length_at(words)
    end = start + len(nouns)
    return start > 0 and words[start:end] == nouns and _only_describes(words[end:], known)


def _only_describes(rest: Phrase, known: FactWords) -> bool:
    """Whether the words behind a noun are none, its name, or a clause that tells of it alone."""
    if not rest:
        return True
    start = 1 if rest[0] == "," else 0
    opening = known.relatives.length_at(rest, start) or known.name_tails.length_at(rest, start)
    return opening > 0 and _is_one_matter(rest[start + opening :], known)


def _is_one_matter(words: Phrase, known: FactWords) -> bool:
    """Whether some words tell nothing of the user, and nothing that is joined to them."""
    others = (known.contrasts, known.subjects, known.owners)
    is_joined = _is_joined(words, known) or any(one.are_in(words) for one in others)
    return 0 < len(words) <= _MOST_BEHIND and not is_joined


def _is_joined(words: Phrase, known: FactWords) -> bool:
    """Whether words tell several things."""
    plain = _without_role(words)
    return "," in words or phrases_of_all("joining").are_in(plain) or known.joints.are_in(words)


def _without_role(words: Phrase) -> Phrase:
    """Words without the "as" of "I work as a nurse", which joins nothing."""
    at = next((at for at in range(2, len(words) - 1) if words[at : at + 2] in _AS_A), None)
    return words if at is None else (*words[:at], *words[at + 1 :])


def _tells(words: Phrase, nouns: Phrase, attribute: Phrase, known: FactWords) -> bool:
    """Whether words tell an attribute of somebody of the user's: "my wife's name is Ann"."""
    return any(
        verbs.length_at(words, end) > 0
        and _is_one_matter(words[end + verbs.length_at(words, end) :], known)
        for end, verbs in _places_of(words, nouns, attribute, known)
    )


def _places_of(
    words: Phrase, nouns: Phrase, attribute: Phrase, known: FactWords
) -> Iterator[tuple[int, Phrases]]:
    """Where an attribute of nouns may end, and which verbs may follow it there."""
    owner = known.owners.length_at(words)
    after = owner + len(nouns)
    if owner and words[owner:after] == nouns:
        genitive = known.genitives.length_at(words, after)
        length = _attribute_at(words, after + genitive, attribute, known) if genitive else 0
        if length:
            yield after + genitive + length, known.statement_verbs
        if attribute in known.names_named:
            yield after, known.called
    article = known.articles.length_at(words)
    length = _attribute_at(words, article, attribute, known) if article else 0
    of_mine = known.of_mine.length_at(words, article + length) if length else 0
    after = article + length + of_mine
    if of_mine and words[after : after + len(nouns)] == nouns:
        yield after + len(nouns), known.statement_verbs


def _attribute_at(words: Phrase, place: int, attribute: Phrase, known: FactWords) -> int:
    """How many words an attribute has at a place; any word for a name stands for another."""
    if attribute in known.names_named:
        return known.names_named.length_at(words, place)
    return len(attribute) if words[place : place + len(attribute)] == attribute else 0


def _is_name_noun(nouns: Phrase) -> bool:
    return any(nouns in fact_words(code).names_named for code in LANGUAGES)


def _cases_of(nouns: Phrase) -> tuple[Phrase, ...]:
    """Nouns as they are, and without the ending of a case: "Hundes" is "Hund"."""
    last = nouns[-1]
    stems = (last.removesuffix(ending) for ending in _CASES if last.endswith(ending))
    return (nouns, *((*nouns[:-1], stem) for stem in stems if len(stem) > 1))


def _mentions(fact: Fact, nouns: Collection[str]) -> bool:
    return set(nouns) <= set(words_in(fact.content))


def _nouns_at(words: Phrase, place: int, known: FactWords) -> Iterator[tuple[Phrase, int]]:
    """The nouns at a place, and the places after them, the shortest reading first."""
    for count in range(1, _MOST_NOUNS + 1):
        nouns = words[place : place + count]
        if len(nouns) < count or not all(_is_noun(one, known) for one in nouns):
            return
        yield nouns, place + count


def _is_noun(word: str, known: FactWords) -> bool:
    """Whether a word may name a thing that is to be forgotten, and nothing of the conversation."""
    others = (known.talk_nouns, known.passing_nouns, known.not_content, known.please)
    is_other = any((word,) in phrases for phrases in others)
    return word.isalpha() and len(word) > 1 and not is_other and not is_common_word(word)
