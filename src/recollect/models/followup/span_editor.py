"""The follow-up model: proposes a standalone question, and says how sure it is."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.data_questions.changing.numbers import with_number
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import (
    MAX_QUESTION_WORDS,
    Block,
    ReadingLimits,
    Word,
    recent_blocks,
    words_of,
)
from recollect.domain.followup.explanations import explain, span_text
from recollect.domain.followup.languages import LanguageWords, starting_phrase, words_for
from recollect.domain.followup.rules.candidate import is_data_talk
from recollect.errors import ConfigurationError
from recollect.models.followup.checks.additions import with_copula
from recollect.models.followup.checks.data_edits import changes_data_question
from recollect.models.followup.checks.referents import with_maker, without_denied
from recollect.models.followup.checks.sentences import is_sentence
from recollect.models.followup.checks.soundness import is_sound
from recollect.models.followup.confidence import Calibration, WordLists, evidence
from recollect.models.followup.decoding import DecodedEdits, Decoder, Scores
from recollect.models.followup.edited_question import EditedQuestion
from recollect.models.followup.features import Features, tokens_of
from recollect.models.followup.mending import mended, with_full_names
from recollect.models.followup.phrasing import phrased
from recollect.models.networks import installed_network, open_tokenizer
from recollect.models.weights import TOKENS, WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LIMITS: Final = ReadingLimits()
_MAX_TOKENS: Final = 96
_FEW_WORDS: Final = 6
"""A question of fewer words may be a fragment of another."""
_LONGEST_QUESTION: Final = 800  # characters; what is longer says what it means


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """The edits that the network makes of a question, and what speaks for and against them."""

    blocks: Sequence[Block]
    decoded: DecodedEdits
    rewrite: str
    evidence: Mapping[str, float]
    is_sound: bool
    """Whether nothing that was asked is lost."""


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
        self, question: str, history: Sequence[HistoryMessage], *, language: str
    ) -> Proposal:
        """The likeliest rewrite, and how likely it is right; the question itself if there is none.

        A question without a history, or of more words than the network reads, stays as it is.
        """
        interpretation = self.read(question, history, language=language)
        if interpretation is None:
            return Proposal(standalone_question=question, need=0.0, confidence=1.0)
        need = 1 / (1 + exp(-interpretation.decoded.need))
        edits = interpretation.decoded.edits
        if not edits.insertions:
            return Proposal(standalone_question=question, need=need, confidence=1 - need)
        spans = (span_text(interpretation.blocks, one) for one in edits.insertions)
        topic = max(spans, key=len)
        if not interpretation.is_sound:
            return Proposal(
                standalone_question=question, need=need, confidence=1 - need, topic=topic
            )
        return Proposal(
            standalone_question=interpretation.rewrite,
            need=need,
            confidence=self._ready().calibration.confidence(interpretation.evidence),
            explanations=explain(
                question, interpretation.blocks, edits, pointers=self._ready().lists.pointers
            ),
            topic=topic,
        )

    def read(
        self, question: str, history: Sequence[HistoryMessage], *, language: str
    ) -> "Interpretation | None":
        """What the network makes of a question; None where there is nothing for it to read."""
        if len(question) > _LONGEST_QUESTION:
            return None
        words = words_of(question)
        blocks = recent_blocks(history, _LIMITS)
        says_something = any(not word.is_sign for word in words)
        if not blocks or not says_something or len(words) > MAX_QUESTION_WORDS:
            return None
        network = self._ready()
        known = words_for(language)
        if network.is_plainly_standalone(words, known):
            return None
        features = tokens_of(network.tokenizer, question, blocks, max_tokens=_MAX_TOKENS)
        decoded = network.decoder.decode(
            network.scores(features), features, blocks, language=language
        )
        if not decoded.edits.insertions:
            return Interpretation(
                blocks=blocks, decoded=decoded, rewrite=question, evidence={}, is_sound=True
            )
        is_data = is_data_talk(history, known)
        edited = EditedQuestion(
            words=words,
            blocks=blocks,
            edits=decoded.edits,
            lists=network.lists,
            known=known,
            is_data=is_data,
        )
        edited = replace(edited, edits=with_full_names(edited))
        named = replace(decoded, edits=edited.edits)
        weighed = evidence(words, blocks, named, language=language, lists=network.lists)
        for mend in (without_denied, with_copula, mended):
            edited = replace(edited, edits=mend(edited))
        made = replace(edited, edits=with_maker(edited))
        rewrite = phrased(question, made)
        if is_data:
            last = next(block.text for block in blocks if block.role is Role.USER)
            rewrite = with_number(last, rewrite, known)
        changes_data = is_data and changes_data_question(made)
        return Interpretation(
            blocks=blocks,
            decoded=replace(decoded, edits=made.edits),
            rewrite=rewrite,
            evidence=weighed,
            is_sound=is_sound(edited)
            and not changes_data
            and is_sentence(rewrite, question, blocks, known),
        )

    def _ready(self) -> "_Network":
        with self._loading:
            if self._network is None:
                self._network = _Network(self._folder)
        return self._network


class _Network:
    """The loaded graph, its tokenizer and its words."""

    def __init__(self, folder: Path) -> None:
        try:
            self._load(folder)
        except Exception as error:  # onnxruntime and tokenizers have no class for their errors
            raise ConfigurationError(
                f"the follow-up model in {folder} cannot be loaded; install Recollect again"
            ) from error

    def _load(self, folder: Path) -> None:
        words = json.loads((folder / "words.json").read_text("utf-8"))
        self.lists = WordLists(
            function_words=frozenset(words["function_words"]),
            pointers=frozenset(words["pointers"]),
            discardable=frozenset(words["discardable"]),
        )
        self.decoder = Decoder(
            words["connectors"], words["connectors_of"], self.lists.function_words
        )
        self.calibration = Calibration(
            words["calibration"]["bias"], words["calibration"]["weights"]
        )
        self.tokenizer = open_tokenizer(folder, TOKENS)
        self._network = installed_network(folder / "followup.onnx")

    def is_plainly_standalone(self, words: Sequence[Word], known: LanguageWords) -> bool:
        """Whether a question is long enough, begins as one, and no word in it can point back.

        Half of all questions are like this, and need not be read by the network.
        """
        texts = [word.text.lower() for word in words if not word.is_sign]
        if len(texts) < _FEW_WORDS or not self.lists.pointers.isdisjoint(texts):
            return False
        return texts[0] not in known.prepositions and not starting_phrase(texts, known.fragments)

    def scores(self, features: Features) -> Scores:
        """Run the network on one question."""
        need, *others = self._run(features)
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

    def _run(self, features: Features) -> "list[NDArray[np.float32]]":
        import numpy as np  # noqa: PLC0415  # loaded with the network

        given = {
            "token_ids": features.token_ids,
            "token_types": features.token_types,
            "gap_tokens": features.gap_tokens,
            "previous_tokens": features.previous_tokens,
        }
        inputs = {name: np.array([numbers], np.int64) for name, numbers in given.items()}
        return self._network.run(inputs)
