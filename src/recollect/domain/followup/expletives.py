"""Questions that no history completes: what time it is, who the user is, what 2+2 is."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Final

from recollect.domain.followup.edits import spoken_words, straight_words
from recollect.domain.followup.languages import LanguageWords, PhraseList, starting_phrase

_LONGEST: Final = 120  # characters
_OPENERS: Final = 2  # "ok, and"
_OPERATORS: Final = frozenset("+*\u00d7\u00f7^")
_CALCULATION_STARTS: Final = tuple("0123456789(")
_CALCULATING: Final = _OPERATORS | frozenset("0123456789 .,()/-:=")


def needs_no_history(question: str, *languages: LanguageWords) -> bool:
    """Whether a question says all by itself in one of these languages.

    It is about now or about the user, or a sum.
    """
    return is_calculation(question) or any(
        asks_about_now(question, known) or asks_about_user(question, known) for known in languages
    )


def is_calculation(question: str) -> bool:
    """Whether a question is numbers with an operator between them: "2+2?".

    "2023-2024" and "24/7" may be values that take the place of others.
    """
    text = question[: _LONGEST + 1].strip(" ?=.!¿")
    inner = text[1:-1]
    return (
        len(text) <= _LONGEST
        and text.startswith(_CALCULATION_STARTS)
        and _CALCULATING.issuperset(text)
        and not _OPERATORS.isdisjoint(inner)
    )


def asks_about_user(question: str, known: LanguageWords) -> bool:
    """Whether users ask for their own name, age, address or work, and for nothing else.

    "What is my name?" after "Forget my address" is not about the address. A word about now or a day
    may stand anywhere: "Hoe laat moet ik morgen werken?".
    """
    if len(question) > _LONGEST:
        return False
    words = straight_words(question)
    if not _words_about_user(known).issuperset(words):
        return False
    if _is_self_question(words, known):
        return True
    timeless = [
        word for word in words if word not in known.moment_words and word not in known.weekdays
    ]
    return len(timeless) < len(words) and _is_self_question(timeless, known)


def _is_self_question(words: Sequence[str], known: LanguageWords) -> bool:
    for start in {0, starting_phrase(words, known.openers)}:
        length = starting_phrase(words, known.self_questions, start=start)
        if length and known.moment_words.issuperset(words[start + length :]):
            return True
    return False


def asks_about_now(question: str, known: LanguageWords) -> bool:
    """Whether a question asks for the time, the date or the weather, and for nothing else.

    "What time is it?" after "I have a meeting with Bob" is not about the meeting; "What day is it
    on?" may be.
    """
    if len(question) > _LONGEST:
        return False
    if not _words_about_now(known).issuperset(straight_words(question)):
        return False
    words = spoken_words(question)
    _, end = expletive_phrase(words, known)
    return end > 0 and known.moment_words.issuperset(words[end:])


def expletive_phrase(words: Sequence[str], known: LanguageWords) -> tuple[int, int]:
    """Where "what time is it" begins and ends in a question in small letters; 0 and 0 without."""
    said = _straight_quoted(words[: _LONGEST // 2])
    start = 0
    for _ in range(_OPENERS + 1):
        length = starting_phrase(said, known.expletive_questions, start=start)
        if length:
            return start, start + length
        opener = starting_phrase(said, known.openers, start=start)
        if not opener:
            break
        start += opener
    return 0, 0


def _straight_quoted(words: Sequence[str]) -> Sequence[str]:
    """Words with straight apostrophes; most have none, and stay what they are."""
    if not any("\u2019" in word for word in words):
        return words
    return [word.replace("\u2019", "'") for word in words]


@cache
def _words_about_user(known: LanguageWords) -> frozenset[str]:
    """All words that a question for users' own name, age, address or work may have."""
    return _all_words(known, known.self_questions) | known.weekdays


@cache
def _words_about_now(known: LanguageWords) -> frozenset[str]:
    """All words that a question for the time, the date or the weather may have."""
    return _all_words(known, known.expletive_questions)


def _all_words(known: LanguageWords, questions: PhraseList) -> frozenset[str]:
    phrases = chain(known.openers, questions)
    words = known.moment_words.union(*phrases)
    return frozenset(_straight_quoted(list(words)))
