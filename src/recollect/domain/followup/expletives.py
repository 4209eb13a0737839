"""Questions whose "it" means nothing: what time it is, and whether it rains."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.followup.edits import spoken_words
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_LONGEST: Final = 120  # characters
_OPENERS: Final = 2  # "ok, and"


def asks_about_now(question: str, known: LanguageWords) -> bool:
    """Whether a question asks for the time, the date or the weather, and for nothing else.

    "What time is it?" after "I have a meeting with Bob" is not about the meeting; "What day is it
    on?" may be.
    """
    if len(question) > _LONGEST:
        return False
    words = spoken_words(question)
    _, end = expletive_phrase(words, known)
    return end > 0 and known.moment_words.issuperset(words[end:])


def expletive_phrase(words: Sequence[str], known: LanguageWords) -> tuple[int, int]:
    """Where "what time is it" begins and ends in a question in small letters; 0 and 0 without."""
    said = [word.replace("\u2019", "'") for word in words[: _LONGEST // 2]]
    start = 0
    for _ in range(_OPENERS + 1):
        length = starting_phrase(said, known.expletive_questions, start=start)
        if length:
            return start, start + length
        start += starting_phrase(said, known.openers, start=start)
    return 0, 0
