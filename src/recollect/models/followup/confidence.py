"""How sure a rewrite is: the probability that it says what the user means."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Insertion, Word
from recollect.models.followup.decoding import DecodedEdits

_LIMITS: Final = {
    "need": (-8.0, 8.0),
    "likelihood": (-12.0, 0.0),
    "weakest": (-6.0, 0.0),
    "slightly_weak": (-1.0, 0.0),
    "reply_words": (0.0, 64.0),
    "insertions": (0.0, 5.0),
    "oldest": (0.0, 5.0),
    "newest": (0.0, 5.0),
    "question_words": (0.0, 15.0),
    "inserted_words": (0.0, 20.0),
    "lost_words": (0.0, 3.0),
}
"""What lies beyond says no more than the limit itself."""
SENTENCE: Final = 4  # words of an inserted span that make it a sentence
NEAR_BEGINNING: Final = 2  # words, one of which may be a sign
_EXCHANGE: Final = 2  # the newest messages: a reply, and the question before it


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLists:
    """Words of all languages by what they do."""

    function_words: frozenset[str]
    pointers: frozenset[str]
    """Those that point back to something said before, or may do so."""
    discardable: frozenset[str]
    """Content words that say how a question follows, not what it asks."""

    def content(self, words: Iterable[Word]) -> set[str]:
        """The words that carry content, in small letters."""
        lower = (word.text.lower() for word in words if not word.is_sign)
        return {word for word in lower if word not in self.function_words}


def evidence(
    words: Sequence[Word],
    blocks: Sequence[Block],
    decoded: DecodedEdits,
    *,
    language: str,
    lists: WordLists,
) -> dict[str, float]:
    """The numbers that confidence depends on. Training fits their weights."""
    insertions = decoded.edits.insertions
    spans = [blocks[i.span.block].words[i.span.first : i.span.last + 1] for i in insertions]
    places = [one.span.block for one in insertions]
    content, own = lists.content, lists.content(words)
    titled = blocks[-1].is_title
    users, replies = (
        {word for block in blocks if block.role is role for word in content(block.words)}
        for role in (Role.USER, Role.ASSISTANT)
    )
    numbers = {
        "need": decoded.need,
        "likelihood": decoded.likelihood,
        "weakest": decoded.weakest,
        "slightly_weak": decoded.weakest,
        "reply_words": len(blocks[0].words) if blocks[0].role is Role.ASSISTANT else 0,
        "insertions": len(insertions),
        "oldest": max(places),
        "newest": min(places),
        "question_words": len(words),
        "inserted_words": sum(map(len, spans)),
        "in_last_message": max(places) == 0,
        "in_last_question": all(
            blocks[place].role is Role.USER and place < _EXCHANGE for place in places
        ),
        "repeats_beginning": any(is_beginning(blocks, one) for one in insertions),
        "lost_words": len(content([words[place] for place in decoded.edits.deleted])),
        "repeats_question": any(content(span) & own for span in spans),
        "lacks_content": any(not content(span) for span in spans),
        "from_reply": any(not content(span) <= users for span in spans),
        "said_by_both": all(content(span) <= users & replies for span in spans),
        "lacks_capital": not any(span[0].text[0].isupper() for span in spans),
        "in_title": titled and all(blocks[place].is_title for place in places),
        "passes_title": titled and not any(blocks[place].is_title for place in places),
        f"is_{language}": 1.0,
    }
    return {name: _limited(name, float(value)) for name, value in numbers.items()}


def is_beginning(blocks: Sequence[Block], insertion: Insertion) -> bool:
    """Whether a span is the beginning of an earlier question, for a value to follow it."""
    _, first, last = insertion.span
    is_users = blocks[insertion.span.block].role is Role.USER
    return is_users and first < NEAR_BEGINNING and last - first + 1 >= SENTENCE


def _limited(name: str, value: float) -> float:
    low, high = _LIMITS.get(name, (0.0, 1.0))
    return max(low, min(high, value))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic regression: how often a rewrite with such evidence is right."""

    bias: float
    weights: Mapping[str, float]

    def confidence(self, numbers: Mapping[str, float]) -> float:
        """The probability that a rewrite is right."""
        total = sum(self.weights.get(name, 0.0) * value for name, value in numbers.items())
        return 1 / (1 + exp(-self.bias - total))
