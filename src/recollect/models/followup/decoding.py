"""From the network's scores to the most likely edits, and how likely they are."""

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Final

from recollect.domain.followup.edits import SLOTS, Block, Edits, Insertion, Span
from recollect.models.followup.features import NO_SPAN, Features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_NEVER: Final = -1e4
_LONGEST_SPAN_TOKENS: Final = 60
_CANDIDATES: Final = 6
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The network's outputs for one question, as `training/followups/network.py` names them."""

    need: float
    delete: "Array"
    start: "Array"
    end: "Array"
    pair: "Array"
    connect: "Array"
    connect_start: "Array"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedEdits:
    """The most likely edits with their logarithmic probabilities."""

    edits: Edits
    need: float
    """The logit of 'this question needs a rewrite'."""
    likelihood: float
    """Of all decisions together: each gap's and each word's."""
    weakest: float
    """Of the least likely decision."""


class Decoder:
    """Chooses edits.

    `connectors` are the texts that the network's classes stand for, `by_language` those that a
    language has. Spans that differ in leading `function_words` alone count as one.
    """

    def __init__(
        self,
        connectors: "Sequence[str]",
        by_language: "Mapping[str, Sequence[str]]",
        function_words: frozenset[str],
    ) -> None:
        self._function_words = function_words
        self._connectors = tuple(connectors)
        numbers = {text: number for number, text in enumerate(connectors)}
        self._classes = {
            language: [numbers[text] for text in texts] for language, texts in by_language.items()
        }

    def decode(
        self, scores: Scores, features: Features, blocks: "Sequence[Block]", *, language: str
    ) -> DecodedEdits:
        """The most likely decision at each place, taken on its own."""
        chosen: list[float] = []
        deleted = _deletions(scores, len(features.gap_tokens) - 1, chosen)
        insertions: list[Insertion] = []
        inserted_words: set[str] = set()
        spans = _Spans(scores, features, blocks, self._function_words)
        for gap in range(len(features.gap_tokens)):
            for slot in range(SLOTS):
                likelihood, candidate = spans.at(gap, slot)
                content = self._content(candidate)
                if content and content <= inserted_words:
                    continue  # the same thing is never inserted_words twice
                chosen.append(likelihood)
                if candidate is not None:
                    inserted_words |= content
                    insertions.append(self._connected(scores, gap, slot, candidate, language))
        return DecodedEdits(
            edits=Edits(deleted=deleted, insertions=tuple(insertions)),
            need=scores.need,
            likelihood=sum(chosen),
            weakest=min(chosen),
        )

    def _content(self, candidate: "_SpanCandidate | None") -> set[str]:
        return (
            set(candidate.text.split()) - self._function_words if candidate is not None else set()
        )

    def _connected(
        self, scores: Scores, gap: int, slot: int, candidate: "_SpanCandidate", language: str
    ) -> Insertion:
        classes = scores.connect[gap, slot] + scores.connect_start[candidate.start]
        allowed = self._classes.get(language) or range(len(self._connectors))
        return Insertion(
            gap=gap,
            span=candidate.span,
            connector=self._connectors[max(allowed, key=lambda number: float(classes[number]))],
            is_possessive=bool(classes[-1] > 0),
        )


def _deletions(scores: Scores, words: int, chosen: list[float]) -> frozenset[int]:
    deleted = set()
    for word in range(words):
        probability = 1 / (1 + exp(-float(scores.delete[word])))
        if probability > 0.5:  # noqa: PLR2004  # more likely than not
            deleted.add(word)
        chosen.append(log(max(probability, 1 - probability, _LEAST)))
    return frozenset(deleted)


@dataclass(slots=True, kw_only=True)
class _SpanCandidate:
    span: Span
    start: int
    text: str
    probability: float


class _Spans:
    """The spans that may be inserted, with their probabilities."""

    def __init__(
        self,
        scores: Scores,
        features: Features,
        blocks: "Sequence[Block]",
        function_words: frozenset[str],
    ) -> None:
        import numpy as np  # noqa: PLC0415  # only where a model is used

        self._np = np
        self._scores, self._features, self._blocks = scores, features, blocks
        self._function_words = function_words
        tokens = len(features.token_ids)
        self._cannot_start = np.ones(tokens, bool)
        self._cannot_start[[NO_SPAN, *self._words(features.starts, blocks)]] = False
        self._can_end = np.zeros(tokens, bool)
        self._can_end[self._words(features.ends, blocks)] = True

    @staticmethod
    def _words(places: "Mapping[int, tuple[int, int]]", blocks: "Sequence[Block]") -> list[int]:
        """The tokens of words, without those of signs: no span begins or ends with one."""
        return [
            token
            for token, (block, word) in places.items()
            if not blocks[block].words[word].is_sign
        ]

    def at(self, gap: int, slot: int) -> tuple[float, _SpanCandidate | None]:
        """The best span for a place, or None for nothing; and its logarithmic probability."""
        starts = self._scores.start[gap, slot].copy()
        starts[self._cannot_start] = _NEVER
        starts = self._log_softmax(starts)
        nothing = float(starts[NO_SPAN])
        if nothing > log(0.5):
            return nothing, None
        by_text: dict[str, list[_SpanCandidate]] = {}
        order = self._np.argsort(-starts)[: _CANDIDATES + 1]
        for start in map(int, order):
            candidate = self._span_from(gap, slot, start, float(starts[start]))
            if candidate is not None:
                by_text.setdefault(candidate.text, []).append(candidate)
        if not by_text:
            return nothing, None
        masses = {text: sum(one.probability for one in same) for text, same in by_text.items()}
        best = max(masses, key=masses.__getitem__)
        if masses[best] < exp(nothing):
            return nothing, None
        # What names the same thing at greater length agrees with it.
        agreed = sum(mass for text, mass in masses.items() if f" {best} " in f" {text} ")
        likelihood = log(max(min(agreed, 1.0), _LEAST))
        return likelihood, max(by_text[best], key=lambda one: one.probability)

    def _span_from(
        self, gap: int, slot: int, start: int, likelihood: float
    ) -> _SpanCandidate | None:
        if start not in self._features.starts:
            return None
        scores = self._scores
        ends = scores.end[gap, slot] + scores.pair[start]
        allowed = self._can_end.copy()
        allowed[:start] = False
        allowed[start + _LONGEST_SPAN_TOKENS + 1 :] = False
        ends = self._log_softmax(self._np.where(allowed, ends, _NEVER))
        end = int(ends.argmax())
        block, first = self._features.starts[start]
        last_block, last = self._features.ends.get(end, (-1, -1))
        if last_block != block or last < first:
            return None
        span = Span(block, first, last)
        probability = exp(likelihood + float(ends[end]))
        return _SpanCandidate(
            span=span, start=start, text=self._content(span), probability=probability
        )

    def _content(self, span: Span) -> str:
        """The words of a span in small letters, without the function words that it begins with."""
        words = [w.text.lower() for w in self._blocks[span.block].words[span.first : span.last + 1]]
        known = self._function_words
        first = next((n for n, word in enumerate(words) if word not in known), 0)
        return " ".join(words[first:])

    def _log_softmax(self, values: "Array") -> "Array":
        shifted = values - values.max()
        result: Array = shifted - self._np.log(self._np.exp(shifted).sum())
        return result
