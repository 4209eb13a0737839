"""Edits of a question in words that a person understands."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, Insertion, Word, words_of

_FRAME: Final = 3  # words of an earlier question that a value is put into, at least
_LONGEST_VALUE: Final = 4  # words


def explain(
    question: str, blocks: Sequence[Block], edits: Edits, *, pointers: AbstractSet[str]
) -> tuple[str, ...]:
    """Say for each span that was inserted what it stands for, or what it completes.

    `pointers` are the words that can stand for something said before.
    """
    words = words_of(question)
    explanations = (_explained(words, blocks, edits, one, pointers) for one in edits.insertions)
    return tuple(dict.fromkeys(explanations))


def span_text(blocks: Sequence[Block], insertion: Insertion) -> str:
    """The words of the history that an insertion repeats, as they were written."""
    block = blocks[insertion.span.block]
    first, last = block.words[insertion.span.first], block.words[insertion.span.last]
    return " ".join(block.text[first.start : last.end].split())


def _explained(
    words: Sequence[Word],
    blocks: Sequence[Block],
    edits: Edits,
    insertion: Insertion,
    pointers: AbstractSet[str],
) -> str:
    replaced = _replaced_value(words, blocks, edits, insertion)
    if replaced is not None:
        new, old = replaced
        return f'"{new}" takes the place of "{old}"'
    span, deleted = span_text(blocks, insertion), _deleted_beside(words, edits, insertion)
    if pointers.isdisjoint(word.lower() for word in deleted):
        return f'completed with "{span}"'
    return f'"{" ".join(deleted)}" stands for "{span}"'


def _deleted_beside(words: Sequence[Word], edits: Edits, insertion: Insertion) -> list[str]:
    """The deleted words around an insertion, without punctuation."""
    before = takewhile(edits.deleted.__contains__, range(insertion.gap - 1, -1, -1))
    after = takewhile(edits.deleted.__contains__, range(insertion.gap, len(words)))
    places = [*reversed(list(before)), *after]
    return [words[place].text for place in places if not words[place].is_sign]


def _replaced_value(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, insertion: Insertion
) -> tuple[str, str] | None:
    """The new and the old value, where an earlier question was repeated with another value.

    "And in Lisbon?" after "What is the rent in Porto?": Lisbon, Porto.
    """
    block, span = blocks[insertion.span.block], insertion.span
    is_frame = block.role is Role.USER and span.last - span.first + 1 >= _FRAME
    kept = [place for place in range(len(words)) if place not in edits.deleted]
    if not is_frame or len(edits.insertions) > 1 or any(place < insertion.gap for place in kept):
        return None
    new = _up_to_sign([words[place] for place in kept])
    old = _up_to_sign(block.words[span.last + 1 :])
    while new and old and new[0].lower() == old[0].lower():
        new, old = new[1:], old[1:]
    if not (0 < len(new) <= _LONGEST_VALUE and 0 < len(old) <= _LONGEST_VALUE):
        return None
    return " ".join(new), " ".join(old)


def _up_to_sign(words: Sequence[Word]) -> list[str]:
    return [word.text for word in takewhile(lambda word: not word.is_sign, words)]
