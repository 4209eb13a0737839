"""Whether what a language model made of a follow-up can be trusted."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.language import detect_language
from recollect.domain.language import common_words, content_words, split_words

_MAX_ADDED: Final = 500  # characters
_KEPT: Final = 0.6  # of the question's own words that carry meaning
_KNOWN: Final = 0.7  # of the rewrite's words, said before by somebody
_HEARD_MESSAGES: Final = 20
_HEARD: Final = 2000  # characters of each, so that a pasted book does not delay the answer
_STEM: Final = 4  # letters that two forms of a word share
_ENOUGH_TO_TELL: Final = 5  # words; of fewer the language cannot be told
_SMALL_WORDS: Final = 1 / 3
_QUOTES: Final = "\"'` \u201c\u201d\u2018\u2019"
_LABELS: Final = ("standalone question:", "rewritten question:", "question:", "rewrite:")


def clean_reply(reply: str) -> str:
    """A model's reply without the label, quotes and remarks that models like to add."""
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    line = lines[0] if lines else ""
    for label in _LABELS:
        if line.lower().startswith(label):
            line = line[len(label) :]
    return line.strip(_QUOTES)


def is_faithful(
    rewritten: str, question: str, history: Sequence[HistoryMessage], *, language: str
) -> bool:
    """Whether a rewrite still asks the question: its length, language, words and form agree."""
    if not rewritten or len(rewritten) > len(question) + _MAX_ADDED:
        return False
    heard = history[-_HEARD_MESSAGES:]
    text = " ".join(message.content[:_HEARD] for message in heard)
    own = _content(question, language)
    meant = _content(rewritten, language)
    return (
        _is_in_language(rewritten, language)
        and _share(own, meant) >= _KEPT
        and _share(meant, own | _content(text, language)) >= _KNOWN
        and (_asks(rewritten, question, heard) or not question.rstrip().endswith("?"))
    )


def _is_in_language(text: str, language: str) -> bool:
    """Names mislead the detection of short texts, small words do not."""
    words = split_words(text.lower())
    small = sum(word in common_words(language) for word in words)
    if len(words) < _ENOUGH_TO_TELL or small >= len(words) * _SMALL_WORDS:
        return True
    return detect_language(text) == language


def _content(text: str, language: str) -> frozenset[str]:
    return frozenset(word.lower() for word in content_words(text, language))


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    """How many of the words the others have too, in this or another form."""
    if not words:
        return 1.0
    stems = {word[:_STEM] for word in others}
    return sum(word[:_STEM] in stems for word in words) / len(words)


def _asks(text: str, question: str, history: Sequence[HistoryMessage]) -> bool:
    """Whether a text asks something, or begins as the user's questions and requests do."""
    if text.rstrip().endswith("?"):
        return True
    questions = (question, *(one.content[:_HEARD] for one in history if one.role is Role.USER))
    return _first_word(text) in set(map(_first_word, questions))


def _first_word(text: str) -> str:
    return next(iter(split_words(text.lower())), "")
