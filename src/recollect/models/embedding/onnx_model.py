"""A sentence model in a folder of ONNX files, run in this process without a network."""

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.domain.vectors import Vector
from recollect.errors import ConfigurationError
from recollect.models.networks import (
    Network,
    installed_network,
    open_network,
    open_tokenizer,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_TOKENS: Final = 256
"""Tokens of a text that are read if the folder does not tell the model's limit."""
_CHARACTERS_A_TOKEN: Final = 32  # what lies beyond would be cut off anyway, after minutes of work
_GRAPHS: Final = ("model.onnx", "onnx/model.onnx")


class Pooling(StrEnum):
    """How the vectors of tokens become the vector of a text."""

    MEAN = "mean"
    CLS = "cls"


class OnnxModel:
    """A loaded model; it blocks, and may be called from several threads."""

    def __init__(
        self,
        folder: Path,
        *,
        pooling: Pooling,
        max_tokens: int | None = None,
        graph: Path | None = None,
        passage_type: int = 0,
    ) -> None:
        """With a `passage_type`, texts that are no questions have tokens of that type.

        A `graph` is a file that comes with Recollect; without one it is looked up in the folder.
        """
        self._pooling = pooling
        self._passage_type = passage_type
        self._graph = graph or find_graph(folder)
        self._network = installed_network(graph) if graph else open_network(self._graph)
        check_inputs(self._network, self._graph)
        self._inputs = self._network.inputs
        self._output = self._network.outputs[:1]
        self._max_tokens = max_tokens or _limit_of(folder)
        self._tokenizer = open_tokenizer(folder, self._max_tokens)
        self.dimensions = len(self.encode("a"))

    def fingerprint(self) -> str:
        """Tells this model from others in a folder of the same name."""
        digest = hashlib.sha256()
        for path in sorted(self._graph.parent.glob(f"{self._graph.name}*")):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:8]

    def encode(self, text: str, *, is_question: bool = False) -> Vector:
        """The vector of a text, of length 1.

        Texts go one by one: eight at once took 88 of 100 parts of the time, and a quantised model
        rounds the numbers of a whole batch alike, so that a vector would depend on its company.
        """
        import numpy as np  # noqa: PLC0415  # loaded with the model

        cut = " ".join(text[: self._max_tokens * _CHARACTERS_A_TOKEN].split())
        sound = cut.encode("utf-8", "replace").decode()
        ids = np.array([self._tokenizer.encode(sound).ids], dtype=np.int64)
        token_type = 0 if is_question else self._passage_type
        pooled = self._pool(self._run(ids, token_type))
        vector: list[float] = (pooled / max(float(np.linalg.norm(pooled)), 1e-12)).tolist()
        return tuple(vector)

    def _run(self, ids: "NDArray[np.int64]", token_type: int) -> "NDArray[np.float32]":
        ones = ids * 0 + 1
        known = {"input_ids": ids, "attention_mask": ones, "token_type_ids": ones * token_type}
        given = {name: known[name] for name in self._inputs}
        output: NDArray[np.float32] = self._network.run(given, self._output)[0][0]
        return output

    def _pool(self, output: "NDArray[np.float32]") -> "NDArray[np.float32]":
        if output.ndim == 1:  # the model has pooled already
            return output
        pooled: NDArray[np.float32] = (
            output[0] if self._pooling is Pooling.CLS else output.mean(axis=0)
        )
        return pooled


def find_graph(folder: Path, *, setting: str = "MEMORY_EMBEDDING_MODEL") -> Path:
    """The model's file in a folder; `ConfigurationError` if something is missing there."""
    graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if graph is None or not (folder / "tokenizer.json").is_file():
        raise ConfigurationError(
            f"{folder} must hold tokenizer.json and {' or '.join(_GRAPHS)} to be used as {setting}"
        )
    return graph


def check_inputs(network: Network, graph: Path) -> None:
    """Refuse a network that takes something else than the tokens of a text."""
    unknown = set(network.inputs) - {"input_ids", "attention_mask", "token_type_ids"}
    if unknown:
        raise ConfigurationError(f"{graph} wants {', '.join(sorted(unknown))}: no text model")


def _limit_of(folder: Path) -> int:
    """How many tokens the model takes, as the files beside it say."""
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("config.json", "max_position_embeddings"),
    ):
        try:
            limit = json.loads((folder / name).read_text("utf-8")).get(key)
        except (OSError, ValueError, AttributeError):
            continue
        if isinstance(limit, int) and limit > 0:
            # RoBERTa's kind counts two positions that no token may take.
            return limit if name.startswith("sentence") else max(1, limit - 2)
    return MAX_TOKENS
