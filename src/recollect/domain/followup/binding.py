"""Pronouns that point within their own question: "How much did the shop sell in its region?"."""

from typing import Final

from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import Kind, LanguagePack, Pronoun
from recollect.domain.followup.phrases import Phrase

_PREDICATES: Final = frozenset({Tag.AUXILIARY, Tag.VERB, Tag.QUESTION, Tag.CLAUSE})
_VERBS: Final = frozenset({Tag.AUXILIARY, Tag.VERB})


def is_bound(text: Text, place: int, named: tuple[Phrase, ...], pack: LanguagePack) -> bool:
    """Whether something the question itself names earlier explains the pronoun."""
    pronoun = pack.pronouns[text.word(place)]
    owns = text.tags[place] is Tag.POSSESSIVE
    for phrase in named:
        if phrase.last > place:
            break
        is_far = _is_in_next_clause(text.tags[phrase.last : place])
        if _is_doubled(text, phrase, place) or _is_joined(text, phrase, place, pack):
            return True
        if phrase.is_name:
            if pronoun.kind is not Kind.PERSON or owns or is_far:
                return True
        elif owns and _is_subject(text, phrase, place, pack) and _agrees(phrase, pronoun, pack):
            return True
        elif is_far and (pronoun.kind is not Kind.PERSON or phrase.head in pack.person_nouns):
            return text.tag(phrase.first - 1) is not Tag.QUESTION
    return False


def _is_subject(text: Text, phrase: Phrase, place: int, pack: LanguagePack) -> bool:
    """As in "did the shop sell", "which shop sold": who does it owns what is done."""
    if phrase.head in pack.attribute_nouns or phrase.head in pack.aggregates:
        return False
    lead = phrase.start - 1
    if text.tag(lead) is Tag.QUESTION:
        # "Which bands have their own bus?", but not "which bands did their fans like?".
        is_doing = phrase.last + 1 < place or Tag.VERB not in text.tags[place:]
        return text.tag(phrase.last) in _VERBS and is_doing
    return is_before_subject(text, lead, pack)


def is_before_subject(text: Text, place: int, pack: LanguagePack) -> bool:
    """Whether the verb that stands here has its subject behind it: "did …", "verkocht …"."""
    word = text.word(place)
    if word in pack.copulas or word in pack.requests:
        return False
    return text.tag(place) is Tag.AUXILIARY or (pack.inverts_verbs and text.tag(place) is Tag.VERB)


def _is_joined(text: Text, phrase: Phrase, place: int, pack: LanguagePack) -> bool:
    """As in "the moon and its phases": the first of a pair owns the second."""
    joins = text.tag(phrase.last) is Tag.CONJUNCTION and phrase.last + 1 == place
    is_open = phrase.head in pack.attribute_nouns or phrase.head in pack.empty_nouns
    pronoun = pack.pronouns[text.word(place)]
    owns = text.tags[place] is Tag.POSSESSIVE
    return joins and owns and not is_open and _agrees(phrase, pronoun, pack)


def _is_doubled(text: Text, phrase: Phrase, place: int) -> bool:
    """As in French "le magasin a-t-il vendu": the subject is said, and said again as a pronoun."""
    is_free = text.tag(phrase.start - 1) is not Tag.PREPOSITION
    return text.word(place - 1) == "-" and is_free and text.tag(phrase.last) in _VERBS


def _agrees(phrase: Phrase, pronoun: Pronoun, pack: LanguagePack) -> bool:
    """English keeps "his" for people; where no word is kept for things, it stands for both.

    "Critics" own nothing by "its".
    """
    if pronoun.plural is False and pack.is_plural(phrase.head):
        return False
    if pronoun.kind is not Kind.PERSON or not pack.has_own_word_for_its:
        return True
    return phrase.head in pack.person_nouns


def _is_in_next_clause(between: tuple[Tag, ...]) -> bool:
    """As in "What is X, and why is it …": a boundary, and a verb behind it."""
    for place, tag in enumerate(between):
        if tag in {Tag.CLAUSE, Tag.QUESTION}:
            return True
        if tag in {Tag.CONJUNCTION, Tag.MARK}:
            return any(later in _PREDICATES for later in between[place:])
    return False
