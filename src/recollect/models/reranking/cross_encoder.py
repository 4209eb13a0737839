"""A cross-encoder in a folder of ONNX files, run in this process without a network."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.errors import ConfigurationError
from recollect.models.embedding.onnx_model import check_inputs, find_graph
from recollect.models.networks import open_network, open_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

SETTING: Final = "MEMORY_RERANK_MODEL"
MAX_TOKENS: Final = 160
"""Tokens that are read of a question and a text together.

The time of a pair grows with them.
"""
_CHARACTERS: Final = MAX_TOKENS * 16
"""What lies beyond would be cut off anyway, after minutes of work."""


class CrossEncoder:
    """A loaded model; it blocks, and may be called from several threads."""

    def __init__(self, folder: Path, *, is_installed: bool = False) -> None:
        """A folder of an installed package is not changed while it is used."""
        graph = find_graph(folder, setting=SETTING)
        self._network = open_network(graph, is_installed=is_installed)
        check_inputs(self._network, graph)
        self._inputs = self._network.inputs
        self._tokenizer = open_tokenizer(folder, MAX_TOKENS)
        shape = self._output(self._tokenizer.encode("a", "a")).shape
        if shape not in {(1,), (1, 1)}:
            raise ConfigurationError(
                f"{graph} gives {list(shape)} numbers for a pair of texts: {SETTING} must be a "
                "cross-encoder, which gives one"
            )

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, higher is better.

        Pair by pair: a batch takes as long, and in a quantised model the score of a pair would
        depend on the others of its batch.
        """
        cut = _readable(question)
        pairs = [(cut, _readable(text)) for text in texts]
        encoded = self._tokenizer.encode_batch(pairs)
        return [float(self._output(encoding).reshape(-1)[0]) for encoding in encoded]

    def _output(self, encoding: "Encoding") -> "NDArray[np.float32]":
        import numpy as np  # noqa: PLC0415  # loaded with the model

        known = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        given = {name: np.array([known[name]], dtype=np.int64) for name in self._inputs}
        return self._network.run(given)[0]


def _readable(text: str) -> str:
    """The beginning of a text, without what no tokenizer takes."""
    return " ".join(text[:_CHARACTERS].split()).encode("utf-8", "replace").decode()
