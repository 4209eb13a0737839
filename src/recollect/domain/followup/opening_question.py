"""The question that a topic was opened with: the last one that says what it is about."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import spoken_words
from recollect.domain.followup.languages import starting_phrase, words_for
from recollect.domain.language import content_words

_READ_CHARACTERS: Final = 1000  # of a question
_QUESTIONS: Final = 10
_ENOUGH: Final = 3
"""So many content words say what a question is about."""
_FEW: Final = 2
"""So many do if one is a name, or belongs to another: "the rules for hearing protection"."""


def opening_question(history: Sequence[HistoryMessage], language: str) -> str:
    """The last of the user's questions that stands alone; the oldest of the last few if none does.

    Those after it are about the same: "When was she born?", "How did people react?".
    """
    asked = [one.content[:_READ_CHARACTERS] for one in history if one.role is Role.USER]
    recent = asked[-_QUESTIONS:]
    alone = (question for question in reversed(recent) if _stands_alone(question, language))
    return next(alone, recent[0] if recent else "")


def _stands_alone(question: str, language: str) -> bool:
    known, words = words_for(language), spoken_words(question)
    if not known.pointers.isdisjoint(words) or starting_phrase(words, known.openers):
        return False
    count = len(content_words(question, language))
    has_name = any(word[0].isupper() for word in question.split()[1:])
    belongs = not known.prepositions.isdisjoint(words[1:-1])
    return count >= _ENOUGH or (count >= _FEW and (has_name or belongs))
