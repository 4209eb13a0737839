"""Rewrites that nobody meant, whatever has made them: cut short, or spoilt by a number."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import spoken_words
from recollect.domain.followup.languages import LanguageWords, installed, starting_phrase, words_for
from recollect.domain.followup.oneself import asks_about_oneself
from recollect.domain.language import content_words

_LONGEST: Final = 120  # characters of a fragment
_READ_CHARACTERS: Final = 1000  # of an earlier question
_RECENT: Final = 6  # messages that a fragment may change
_EXCHANGE: Final = 2  # messages: a question and its answer
_COMPARATIVE: Final = "er"
_SHORTEST_COMPARATIVE: Final = 4


def leaves_comparison_open(rewrite: str, known: LanguageWords) -> bool:
    """Whether a rewrite ends where what it compares with should follow: "Is Tom older than?".

    A word that means "then" as well, as the Dutch "dan", counts behind a comparative alone.
    """
    words = spoken_words(rewrite)
    if not words or words[-1] not in known.comparison_words:
        return False
    before = words[-2] if len(words) > 1 else ""
    is_comparative = before.endswith(_COMPARATIVE) and len(before) >= _SHORTEST_COMPARATIVE
    return is_comparative or not starting_phrase(words[-1:], known.openers)


def spoils_by_number(
    rewrite: str,
    question: str,
    history: Sequence[HistoryMessage],
    known: LanguageWords,
    language: str,
) -> bool:
    """Whether the number of a fragment has come where none was asked for.

    "And 2023?" after "Where does Tom live?" is not "Where does 2023?": a number takes the place of
    a number alone. Nor does it complete what users ask of themselves and their own: "What is my cat
    called 2023?" is no question.
    """
    words = spoken_words(rewrite)
    number = _lone_number(question, known)
    if number is None or number not in words or any(one.sql_query for one in history[-_EXCHANGE:]):
        return False
    source = _changed_question(set(words), history, known, language)
    if source is None:
        return False
    if _meaning(source, known, language) - set(words):
        return True
    is_counted = starting_phrase(spoken_words(source), known.data_questions) > 0
    has_number = any(map(str.isdigit, source))
    return not has_number and not is_counted and _is_about_oneself(source)


def _is_about_oneself(source: str) -> bool:
    """Whether users ask of themselves; the language of a fragment says little of the source's."""
    return any(asks_about_oneself(source, words_for(code)) for code in installed())


def _lone_number(question: str, known: LanguageWords) -> str | None:
    """The number that is all a fragment says: "And 2023?"; None if it says more, or none."""
    words = spoken_words(question) if len(question) <= _LONGEST else ()
    while length := starting_phrase(words, known.openers):
        words = words[length:]
    small = known.prepositions | known.articles | known.contractions | known.trailing
    rest = [word for word in words if word not in small]
    return rest[0] if len(rest) == 1 and rest[0].isdecimal() else None


def _changed_question(
    words: set[str], history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> str | None:
    """The earlier message of the user that has most in common with a rewrite, the last of these."""
    asked = [one.content[:_READ_CHARACTERS] for one in history if one.role is Role.USER]
    shared = [len(_meaning(one, known, language) & words) for one in asked[-_RECENT:]]
    most = max(shared, default=0)
    return asked[-_RECENT:][len(shared) - 1 - shared[::-1].index(most)] if most else None


def _meaning(text: str, known: LanguageWords, language: str) -> set[str]:
    """The words of a question that say what it asks for; no numbers and no dates."""
    small = known.months | known.weekdays | known.trailing | known.small_words | known.moment_words
    spoken = {word.lower() for word in content_words(text, language)} & set(spoken_words(text))
    return {word for word in spoken if word not in small and not any(map(str.isdigit, word))}
