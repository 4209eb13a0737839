"""Pronouns that the user goes on using: "Where was she born?", … "How did she die?".

They keep their meaning, whomever the replies name, until the user names somebody else.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.rules.candidate import is_data_talk

SURE: Final = 0.75
"""A chain that is surer needs no second reading."""
_LONGEST: Final = 400  # characters of a message in a chain
_MESSAGES: Final = 20  # of a history
_NEED: Final = 0.95
_LASTING: Final = 0.97
"""How often a pronoun that the user repeats still means the same."""
_AGREED: Final = 0.95
"""How often two readings that agree are right where one of them must be."""
_FULL_NAME: Final = 2  # words
_SHORT: Final = 8  # words of a reply that is a name
_FEW: Final = 1  # content words of a question that names nobody

Propose = Callable[[str, Sequence[HistoryMessage]], Proposal]


class _Pronoun(NamedTuple):
    """A pronoun in a question, and all forms of it."""

    place: int
    forms: frozenset[str]


class _Use(NamedTuple):
    """Where in a history the user used a pronoun, and the names said since without it."""

    place: int
    names: frozenset[str]


def chained_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, propose: Propose
) -> Proposal | None:
    """The question with what its pronoun has meant since the user first used it.

    `propose` reads that first question. None where it is not plain whom it means.
    """
    pronoun = _free_pronoun(question, known)
    if pronoun is None or not _asks(question, known):
        return None
    if not pronoun.forms.isdisjoint(known.row_pointers) and is_data_talk(history, known):
        return None  # "they" are the rows of the last answer
    first = _first_use(history, pronoun.forms, known)
    if first is None:
        return None
    asked = history[first.place].content
    read = propose(asked, history[: first.place])
    if not read.topic or not _means_person(asked, read, first.names, known):
        return None
    person = _inside_sentence(read.topic, known) if pronoun.place else read.topic
    return Proposal(
        standalone_question=_with_referent(question, pronoun.place, person, known),
        need=_NEED,
        confidence=_LASTING * read.confidence,
        explanations=(f'"{words_of(question)[pronoun.place].text}" stands for "{person}"',),
        topic=person,
    )


def needs_agreement(
    chained: Proposal, question: str, history: Sequence[HistoryMessage], known: LanguageWords
) -> bool:
    """Whether a chain alone does not tell who is meant.

    Its beginning is not sure, the pronoun may mean things, or the last reply names somebody else.
    """
    pronoun = _free_pronoun(question, known)
    may_be_thing = pronoun is not None and not pronoun.forms.isdisjoint(known.thing_pronouns)
    return chained.confidence < SURE or may_be_thing or _names_another(history, chained, known)


def is_answered_by_another(
    history: Sequence[HistoryMessage], chained: Proposal, known: LanguageWords
) -> bool:
    """Whether the last reply says little but the full name of somebody else: "Colin Hanks."."""
    reply = history[-1].content[:_LONGEST]
    is_short = sum(not word.is_sign for word in words_of(reply)) <= _SHORT
    return is_short and _names_another(history, chained, known)


def _names_another(
    history: Sequence[HistoryMessage], chained: Proposal, known: LanguageWords
) -> bool:
    """Whether the last reply opens with the full name of somebody else."""
    last = history[-1]
    named = _opening_name(last.content[:_LONGEST], known) if last.role is Role.ASSISTANT else set()
    return len(named) >= _FULL_NAME and not named <= _parts(chained.topic or "")


def _opening_name(reply: str, known: LanguageWords) -> set[str]:
    """The words with a capital that a reply begins with, after "yes" and the like."""
    words = [word for word in words_of(reply) if not word.is_sign]
    start = next((n for n, w in enumerate(words) if w.text.lower() not in known.small_words), 0)
    name = takewhile(lambda word: word.text[0].isupper(), words[start:])
    return {_letters(word.text) for word in name}


def agreed(chained: Proposal, read: Proposal) -> Proposal | None:
    """A chained candidate as sure as it is with another reading that means the same person."""
    if not chained.topic or not read.topic:
        return None
    before, _, _ = chained.standalone_question.partition(chained.topic)
    replaces = _letters(read.standalone_question).startswith(_letters(before + read.topic))
    one, other = _parts(chained.topic), _parts(read.topic)
    if not replaces or not (one <= other or other <= one):
        return None
    doubt = (1 - chained.confidence) * (1 - read.confidence)
    return replace(chained, confidence=_AGREED * (1 - doubt))


def _first_use(
    history: Sequence[HistoryMessage], forms: frozenset[str], known: LanguageWords
) -> _Use | None:
    """The user's first question with a pronoun since somebody else may have been meant by it.

    One without names since, where there is one; names may be those of the person that is meant.
    """
    plain = named = None
    names: set[str] = set()
    for place in range(len(history) - 1, max(-1, len(history) - 1 - _MESSAGES), -1):
        if history[place].role is not Role.USER:
            continue
        text = history[place].content
        pronoun = _free_pronoun(text, known)
        if _brings_somebody(text, known):
            break
        if pronoun is not None and pronoun.forms == forms:
            named = _Use(place, frozenset(names))
            plain = plain if names else named
        elif _is_aside(text, known):
            names |= _names(text, known)
        else:
            break
    return plain or named


def _free_pronoun(text: str, known: LanguageWords) -> _Pronoun | None:
    """The only person that a message means by a pronoun, if nobody in it can be meant."""
    if len(text) > _LONGEST:
        return None
    words = words_of(text)
    found = [
        _Pronoun(place, frozenset(forms))
        for place, word in enumerate(words)
        for forms in known.pronoun_forms
        if word.text.lower() in forms
    ]
    if not found or len({one.forms for one in found}) > 1:
        return None
    return None if _is_bound(words, found[0].place, known) else found[0]


def _is_bound(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    """Whether a pronoun may mean somebody whom its own sentence names before it.

    Those are names, "my sister", and anything in another clause or before a possessive: "Can
    landlords raise their rent?".
    """
    before = words[:place]
    lower = [word.text.lower() for word in before]
    if any(word.is_sign or word.text.lower() in known.clause_starts for word in before[1:]):
        return True
    content = [word for word in before if word.text.lower() not in known.small_words]
    if any(word.text[0].isupper() for word in content if word is not words[0]):
        return True
    owns = words[place].text.lower() in known.owning_pronouns
    return not known.possessives.isdisjoint(lower) or (owns and len(content) > 1)


def _asks(question: str, known: LanguageWords) -> bool:
    opening = known.question_words | known.auxiliaries | known.helping_verbs
    return "?" in question or words_of(question)[0].text.lower() in opening


def _brings_somebody(text: str, known: LanguageWords) -> bool:
    """Whether a message may make somebody else the topic: "Who was his father?", "a brother"."""
    spoken = {word.text.lower() for word in words_of(text[:_LONGEST])}
    owns = not spoken.isdisjoint(known.owning_pronouns)
    brings = not spoken.isdisjoint(known.persons - known.several_persons)
    return brings or (owns and _asks_who(text, known))


def _asks_who(question: str, known: LanguageWords) -> bool:
    return any(word.text.lower() in known.asking_for_persons for word in words_of(question))


def _is_aside(text: str, known: LanguageWords) -> bool:
    """Whether a message is a question in between about the same: "When was that?"."""
    words = [word for word in words_of(text[:_LONGEST]) if not word.is_sign]
    if len(text) > _LONGEST or len(words) < _FULL_NAME or _asks_who(text, known):
        return False  # a single word may be a name
    spoken = {word.text.lower() for word in words}
    persons = (forms for forms in known.pronoun_forms if known.thing_pronouns.isdisjoint(forms))
    if any(not spoken.isdisjoint(forms) for forms in persons):
        return False
    points = not spoken.isdisjoint(known.pointers - known.item_words)
    is_short = len(spoken - known.small_words) <= _FEW and spoken.isdisjoint(known.item_words)
    if not text[:1].isupper():
        return points and is_short  # names cannot be told
    return points or is_short or bool(_names(text, known))


def _names(text: str, known: LanguageWords) -> set[str]:
    """The words of a message that may be a person's name: not "the IPL" or "in Mecca"."""
    no_person = known.articles | known.never_before_persons
    return {
        _letters(word.text)
        for before, word in pairwise(words_of(text))
        if word.text[0].isupper() and before.text.lower() not in no_person
    }


def _means_person(
    question: str, read: Proposal, names: frozenset[str], known: LanguageWords
) -> bool:
    """Whether a reading replaces the pronoun and nothing else, by whom the user names since."""
    pronoun = _free_pronoun(question, known)
    if pronoun is None or not read.topic:
        return False
    replaced = _with_referent(question, pronoun.place, read.topic, known)
    if not _letters(read.standalone_question).startswith(_letters(replaced)):
        return False
    is_full = sum(word[0].isupper() for word in read.topic.split()) >= _FULL_NAME
    return names <= _parts(read.topic) and (
        is_full or pronoun.forms.isdisjoint(known.thing_pronouns)
    )


def _inside_sentence(referent: str, known: LanguageWords) -> str:
    """What began a sentence, as it reads inside one: "my sister Anna"."""
    first, _, _ = referent.partition(" ")
    is_small = first.lower() in known.small_words | known.possessives
    return referent[0].lower() + referent[1:] if is_small else referent


def _with_referent(question: str, place: int, referent: str, known: LanguageWords) -> str:
    words = words_of(question)
    word = words[place]
    following = words[place + 1] if place + 1 < len(words) else None
    owns = (
        word.text.lower() in known.owning_pronouns
        and following is not None
        and not following.is_sign
        and following.text.lower() not in known.small_words
    )
    return question[: word.start] + referent + ("'s" if owns else "") + question[word.end :]


def _parts(name: str) -> set[str]:
    return {_letters(word.text) for word in words_of(name)}


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())
