"""Pointers to the rows that the last question asked for: "Show their names"."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.data_questions.answers import is_data_question
from recollect.domain.followup.data_questions.nouns import DataPhrase, is_bound
from recollect.domain.followup.data_questions.phrases import data_phrase
from recollect.domain.followup.data_questions.pointing import Pointing
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, phrase_places, starting_phrase
from recollect.domain.language import content_words

_SENTENCE_END: Final = re.compile(r"[.!?…]\s+\S")
_NEED: Final = 0.95
_CONFIDENCE: Final = 0.8
_LONGEST: Final = 30  # words of a question
_LONGEST_TEXT: Final = 400  # characters of the last one
_NEW_WORDS: Final = 2  # content words of a reply that names nothing
_REPLY_CHARACTERS: Final = 400


def data_pointer_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> Proposal | None:
    """The question with the rows that it points to; None where it is not certain which.

    The last question must be one to data, and complete.
    """
    if not _may_point(spoken_words(question), known):
        return None
    asked = next((n for n in range(len(history) - 1, -1, -1) if history[n].role is Role.USER), None)
    if asked is None or not known.data_requests[0] or len(history[asked].content) > _LONGEST_TEXT:
        return None
    last, replies = history[asked].content.strip(), history[asked + 1 :]
    question = _without_second_pointer(_with_one_possessive(question, known), known)
    words, earlier = words_of(question), [word.text.lower() for word in words_of(last)]
    has_sql = any(reply.sql_query for reply in replies)
    is_data = has_sql or is_data_question(last, next(iter(replies), None), known)
    is_short = len(words) <= _LONGEST and not _SENTENCE_END.search(question)
    is_remark = starting_phrase(spoken_words(question), known.idioms) > 0  # "which is nice"
    if is_remark or not is_data or not is_short or not _is_complete(earlier, known):
        return None
    may_be_single = not any(_names_something(reply, last, language) for reply in replies)
    if not has_sql and not may_be_single:
        return None
    phrase = data_phrase(last, known) or _earlier_phrase(last, history[:asked], known)
    standalone = None
    if phrase is not None and not _takes_people_for_thing(question, phrase, known):
        pointing = Pointing(question, words, known, may_be_single=may_be_single)
        standalone = pointing.resolved(phrase)
    if phrase is None or standalone is None or standalone == question:
        return None
    return Proposal(
        standalone_question=standalone[:1].upper() + standalone[1:],
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'what it points to is "{phrase.text}"',),
        topic=phrase.text,
    )


def _may_point(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether a question has a word that points, or begins as one without such a word may.

    That is a word or a beginning that each way of `Pointing` needs.
    """
    return not (
        _pointing_beginnings(known).isdisjoint(words[:1])
        and _pointing_words(known).isdisjoint(words)
    )


@cache
def _pointing_beginnings(known: LanguageWords) -> frozenset[str]:
    ways = (known.how_many, known.which, known.which_of_them, known.among_them)
    beginnings = (way.by_first_word for way in (*ways, known.bare_questions))
    return frozenset((known.who,)).union(*beginnings)


@cache
def _pointing_words(known: LanguageWords) -> frozenset[str]:
    rows = known.row_pointers | known.single_pointers | known.row_determiners
    others = known.noun_pointers | known.item_words | known.each | known.above_words
    both = frozenset(known.double_possessives.by_first_word)  # "his or her"
    return rows | others | both | {known.that, known.also_word}


def _takes_people_for_thing(question: str, phrase: DataPhrase, known: LanguageWords) -> bool:
    """Whether "it" would mean those who were asked for: "Is it long?" after "Who wrote Emma?"."""
    if known.it not in spoken_words(question):
        return False
    return spoken_words(phrase.text)[:2] == (known.those, known.who)


def _with_one_possessive(question: str, known: LanguageWords) -> str:
    """With "their" for "his or her"."""
    words = words_of(question)
    lower = [word.text.lower() for word in words]
    place = next(phrase_places(lower, known.double_possessives), None)
    if place is None:
        return question
    end = words[place + starting_phrase(lower, known.double_possessives, start=place) - 1].end
    return f"{question[: words[place].start]}{known.their}{question[end:]}"


def _without_second_pointer(question: str, known: LanguageWords) -> str:
    """As "Among these boats, which are red?" for "Among these boats, which of them are red?"."""
    words = words_of(question)
    lower = [word.text.lower() for word in words]
    comma = lower.index(",") if "," in lower[: _LONGEST // 2] else 0
    asked = starting_phrase(lower, known.wh_words, start=comma + 1)
    length = starting_phrase(lower, known.of_them, start=comma + 1 + asked)
    places = known.among | known.owner_prepositions
    if not comma or lower[0] not in places or not (asked and length):
        return question
    of = comma + 1 + asked
    return question[: words[of].start] + question[words[of + length - 1].end :].lstrip()


def _earlier_phrase(
    last: str, history: Sequence[HistoryMessage], known: LanguageWords
) -> DataPhrase | None:
    """The rows of the question before the last, if the last one asked something about them.

    "How old are they?" after "Where are the boats with a motor built?".
    """
    earlier = next((one.content for one in reversed(history) if one.role is Role.USER), "")
    phrase = data_phrase(earlier, known) if 0 < len(earlier) <= _LONGEST_TEXT else None
    if phrase is None or phrase.owner.lower() not in last.lower():
        return None
    _, _, rest = last.lower().partition(phrase.owner.lower())
    following = [word.text for word in words_of(rest)]
    is_listed = following[:1] == [","] and starting_phrase(following, known.data_requests, start=1)
    goes_on = known.prepositions | known.restrictions | {",", known.and_word, known.or_word}
    is_narrowed = not goes_on.isdisjoint(following[:1])  # by words that could not be read
    return phrase if is_listed or not is_narrowed else None


def _is_complete(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether a question points to nothing but its own words."""
    for place, word in enumerate(words):
        is_pointer = word in known.row_pointers | known.single_pointers
        is_person = word == known.those and list(words[place + 1 : place + 2]) == [known.who]
        if is_pointer and not is_person and not is_bound(words, place, known):
            return False
    of_that = any(
        (one in known.prepositions and two == known.that)
        or (one in known.each and two in known.item_words)
        for one, two in pairwise(words)
    )
    return not of_that and known.instead_word not in words


def _names_something(reply: HistoryMessage, question: str, language: str) -> bool:
    """Whether a reply has words of its own, which a pointer may mean."""
    if len(reply.content) > _REPLY_CHARACTERS:
        return True
    new = set(map(str.lower, content_words(reply.content, language)))
    return len(new - set(map(str.lower, content_words(question, language)))) > _NEW_WORDS
