"""The follow-up model: proposes a standalone question, and says how sure it is."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.domain.followup.dialogue import Proposal, Said
from recollect.domain.followup.edits import (
    MAX_QUESTION_WORDS,
    ReadingLimits,
    apply_edits,
    recent_blocks,
    words_of,
)
from recollect.domain.followup.explanations import explain, span_text
from recollect.models.followup.decoding import Decoder, Scores
from recollect.models.followup.decoding import Proposal as DecodedEdits
from recollect.models.followup.features import Features, read

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

WEIGHTS: Final = Path(__file__).parent / "weights"
_LIMITS: Final = ReadingLimits()
_MAX_TOKENS: Final = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Logistic regression: how often a proposal like this one is right."""

    bias: float
    need: float
    likelihood: float
    weakest: float
    insertions: float

    def confidence(self, proposal: DecodedEdits) -> float:
        """The probability that the proposed rewrite is right."""
        total = (
            self.bias
            + self.need * max(-8.0, min(8.0, proposal.need))
            + self.likelihood * max(-12.0, proposal.likelihood)
            + self.weakest * max(-6.0, proposal.weakest)
            + self.insertions * len(proposal.edits.insertions)
        )
        return 1 / (1 + exp(-total))


class SpanEditor:
    """Proposes span edits. Blocks for some milliseconds; several threads may call it.

    The network is loaded when it is first needed.
    """

    def __init__(self, folder: Path = WEIGHTS) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._network: _Network | None = None

    def load(self) -> None:
        """Load what the first question would wait for."""
        self._ready()

    def propose(
        self,
        question: str,
        history: Sequence[Said],
        *,
        language: str,  # noqa: ARG002  # the port's; one network reads all languages
    ) -> Proposal:
        """The likeliest rewrite, and how likely it is right; the question itself if there is none.

        A question without a history, or of more words than the network reads, stays as it is.
        """
        words = words_of(question)
        blocks = recent_blocks(history, _LIMITS)
        if not blocks or not 0 < len(words) <= MAX_QUESTION_WORDS:
            return Proposal(standalone_question=question, need=0.0, confidence=1.0)
        network = self._ready()
        features = read(network.tokenizer, question, blocks, max_tokens=_MAX_TOKENS)
        decoded = network.decoder.decode(network.scores(features), features, blocks)
        need = 1 / (1 + exp(-decoded.need))
        if not decoded.edits.insertions:
            return Proposal(standalone_question=question, need=need, confidence=1 - need)
        spans = (span_text(blocks, one) for one in decoded.edits.insertions)
        return Proposal(
            standalone_question=apply_edits(
                question, blocks, decoded.edits, function_words=network.function_words
            ),
            need=need,
            confidence=network.calibration.confidence(decoded),
            explanations=explain(question, blocks, decoded.edits),
            topic=max(spans, key=len),
        )

    def _ready(self) -> "_Network":
        with self._loading:
            if self._network is None:
                self._network = _Network(self._folder)
        return self._network


class _Network:
    """The loaded graph, its tokenizer and its words."""

    def __init__(self, folder: Path) -> None:
        words = json.loads((folder / "words.json").read_text("utf-8"))
        self.decoder = Decoder(words["connectors"])
        self.function_words = frozenset(words["function_words"])
        self.calibration = Calibration(**words["calibration"])
        self.tokenizer = _tokenizer(folder / "tokenizer.json")
        self._session = _session(folder / "followup.onnx")

    def scores(self, features: Features) -> Scores:
        """Run the network on one question."""
        import numpy as np  # noqa: PLC0415  # loaded with the network

        given = {
            "token_ids": features.token_ids,
            "token_types": features.token_types,
            "gap_tokens": features.gap_tokens,
            "previous_tokens": features.previous_tokens,
        }
        inputs = {name: np.array([numbers], np.int64) for name, numbers in given.items()}
        need, *others = self._session.run(None, inputs)
        delete, start, end, pair, connect, connect_start = (output[0] for output in others)
        return Scores(
            need=float(need[0]),
            delete=delete,
            start=start,
            end=end,
            pair=pair,
            connect=connect,
            connect_start=connect_start,
        )


def _tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer  # noqa: PLC0415  # loaded when it is first needed

    return Tokenizer.from_file(str(path))


def _session(path: Path) -> "InferenceSession":
    import onnxruntime  # noqa: PLC0415  # as above

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(path),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],  # see `onnx_model`
    )
