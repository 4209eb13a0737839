"""Find the span edits that turn a question into its reference: what the network learns to make.

The cheapest path through question and reference: a word is kept, deleted, or a span of the
history is inserted before it. Words of the reference that stand in neither are skipped at a high
price; a row that needs such words teaches only that a rewrite is needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from function_words import ARTICLES, CONNECTORS, FUNCTION_WORDS
from recollect.domain.followup.edits import MAX_QUESTION_WORDS, SLOTS, Block, Span, words_of

_CONNECTORS: Final = frozenset(CONNECTORS) - {""}
_MAX_REFERENCE: Final = 60
_LONGEST_SPAN: Final = 30
_AFTER_DELETION: Final = SLOTS + 1  # insertions stand before the deleted words, never after them


class AlignedInsertion(NamedTuple):
    """A span inserted before word `gap`; every occurrence of it in the history is right."""

    gap: int
    slot: int
    connector: str
    is_possessive: bool
    occurrences: tuple[Span, ...]


@dataclass(slots=True)
class Alignment:
    """The edits of one row, and the content words that they cannot express."""

    deleted: list[int] = field(default_factory=list)
    insertions: list[AlignedInsertion] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    covered: int = 0

    def weight(self, *, most_lost: int = 1) -> float:
        """1 where the edits are exact, 0.5 where they nearly are, 0 where they are not."""
        if not self.insertions or len(self.lost) > most_lost:
            return 0.0
        if not self.invented:
            return 1.0
        return 0.5 if len(self.invented) == 1 and self.covered > 1 else 0.0


def stem(word: str) -> str:
    """A word without its commonest endings, so that an inflected form still matches."""
    word = word.lower()
    if len(word) > 5:
        if word[-2:] in {"en", "em", "er", "es"}:
            return word[:-2]
        return word[:-1] if word[-1] in "enas" else word
    return word[:-1] if len(word) == 5 and word[-1] in "es" else word


_STOPS: Final = FUNCTION_WORDS | {stem(word) for word in FUNCTION_WORDS}


def is_content(word: str) -> bool:
    """Whether a stem carries content: no sign and no function word."""
    return word[0].isalnum() and word not in _STOPS


def align(question: str, reference: str, blocks: Sequence[Block]) -> Alignment | None:
    """The cheapest edits; None for sentences that are too long."""
    source = [word.text for word in words_of(question)]
    target = [word.text for word in words_of(reference)]
    if not 0 < len(source) <= MAX_QUESTION_WORDS or not 0 < len(target) <= _MAX_REFERENCE:
        return None
    return _Aligner(source, target, blocks).result()


class _Step(NamedTuple):
    cost: float
    kind: str
    i: int
    j: int
    slot: int
    insertion: AlignedInsertion | None = None


class _Aligner:
    def __init__(self, source: list[str], target: list[str], blocks: Sequence[Block]) -> None:
        self.source = [stem(word) for word in source]
        self.target = [stem(word) for word in target]
        self.plain = [word.lower() for word in target]
        self.blocks = [[stem(word.text) for word in block.words] for block in blocks]
        self.places: dict[str, list[tuple[int, int]]] = {}
        for number, stems in enumerate(self.blocks):
            for position, word in enumerate(stems):
                self.places.setdefault(word, []).append((number, position))
        self.matches = [tuple(self._matches_at(j)) for j in range(len(target))]
        self.best = cache(self._best)

    def _matches_at(self, j: int) -> Iterator[tuple[int, int, int]]:
        """Where the history has the reference's words from `j` on, and how many of them."""
        for number, position in self.places.get(self.target[j], ()):
            ahead = zip(self.target[j:], self.blocks[number][position:], strict=False)
            length = next((n for n, (a, b) in enumerate(ahead) if a != b), None)
            most = min(len(self.target) - j, len(self.blocks[number]) - position)
            yield number, position, min(most if length is None else length, _LONGEST_SPAN)

    def result(self) -> Alignment:
        found = Alignment()
        i = j = slot = 0
        while (i, j) != (len(self.source), len(self.target)):
            step = self.best(i, j, slot)[1]
            assert step is not None  # noqa: S101
            if step.kind == "delete":
                found.deleted.append(i)
                if is_content(self.source[i]):
                    found.lost.append(self.source[i])
            elif step.kind == "skip" and is_content(self.target[j]):
                found.invented.append(self.target[j])
            elif step.insertion is not None:
                found.insertions.append(step.insertion)
                found.covered += sum(map(is_content, self.target[j : step.j]))
            i, j, slot = step.i, step.j, step.slot
        return found

    def _best(self, i: int, j: int, slot: int) -> tuple[float, _Step | None]:
        if i == len(self.source) and j == len(self.target):
            return 0.0, None
        best: tuple[float, _Step | None] = (1e9, None)
        for step in self._steps(i, j, slot):
            cost = step.cost + self.best(step.i, step.j, step.slot)[0]
            if cost < best[0] - 1e-9:
                best = cost, step
        return best

    def _steps(self, i: int, j: int, slot: int) -> Iterator[_Step]:
        has_source, has_target = i < len(self.source), j < len(self.target)
        if has_source and has_target and self.source[i] == self.target[j]:
            yield _Step(0.0, "keep", i + 1, j + 1, 0)
        if has_target and slot < SLOTS:
            yield from self._insertions(i, j, slot)
        if has_source:
            yield _Step(_deletion_cost(self.source[i]), "delete", i + 1, j, _AFTER_DELETION)
        if has_target:
            yield _Step(_skip_cost(self.target[j]), "skip", i, j + 1, slot)

    def _insertions(self, i: int, j: int, slot: int) -> Iterator[_Step]:
        for size in range(3):
            connector = " ".join(self.plain[j : j + size])
            start = j + size
            if start >= len(self.target) or (size and connector not in _CONNECTORS):
                continue
            cost = 1.0 + 0.05 * size + (0.35 if slot else 0.0)
            longest = max((length for _, _, length in self.matches[start]), default=0)
            for length in range(1, longest + 1):
                end = start + length
                if not self.target[end - 1][0].isalnum():
                    continue
                if not any(map(is_content, self.target[start:end])):
                    continue
                occurrences = tuple(
                    Span(block, position, position + length - 1)
                    for block, position, most in self.matches[start]
                    if most >= length
                )
                plain = AlignedInsertion(i, slot, connector, False, occurrences)
                yield _Step(cost, "insert", i, end, slot + 1, plain)
                if self.plain[end : end + 2] in (["'", "s"], ["\u2019", "s"]):
                    of = plain._replace(is_possessive=True)
                    yield _Step(cost + 0.05, "insert", i, end + 2, slot + 1, of)


def _deletion_cost(word: str) -> float:
    if not word[0].isalnum():
        return 0.02
    return 0.25 if word in _STOPS else 1.6


def _skip_cost(word: str) -> float:
    if not word[0].isalnum():
        return 0.03
    if word in ARTICLES:
        return 0.3
    return 0.9 if word in _STOPS else 4.0
