"""A sentence model in a folder of ONNX files, run in this process without a network."""

import hashlib
import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.domain.recall.entry import Vector
from recollect.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

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
    ) -> None:
        self._pooling = pooling
        self._graph = graph or find_graph(folder)
        self._session = _open_session(self._graph)
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._max_tokens = max_tokens or _limit_of(folder)
        self._tokenizer = _open_tokenizer(folder, self._max_tokens)
        self.dimensions = len(self.encode(["a"])[0])

    def fingerprint(self) -> str:
        """Tells this model from others in a folder of the same name."""
        digest = hashlib.sha256()
        for path in sorted(self._graph.parent.glob(f"{self._graph.name}*")):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()[:8]

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text; all are padded to the longest of them."""
        import numpy as np  # noqa: PLC0415  # loaded with the model

        limit = self._max_tokens * _CHARACTERS_A_TOKEN
        cut = [" ".join(text[:limit].split()) for text in texts]
        sound = [text.encode("utf-8", "replace").decode() for text in cut]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(sound)]
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, numbers in enumerate(tokens):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        pooled = self._pool(self._run(ids, mask), mask)
        norms = np.linalg.norm(pooled, axis=1, keepdims=True)
        return [tuple(row) for row in (pooled / np.maximum(norms, 1e-12)).tolist()]

    def _run(self, ids: "NDArray[np.int64]", mask: "NDArray[np.int64]") -> "NDArray[np.float32]":
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": ids * 0}
        given = {name: known[name] for name in self._inputs}
        output: NDArray[np.float32] = self._session.run(None, given)[0]
        return output

    def _pool(
        self, output: "NDArray[np.float32]", mask: "NDArray[np.int64]"
    ) -> "NDArray[np.float32]":
        if output.ndim == 2:  # noqa: PLR2004  # the model has pooled already: one row a text
            return output
        if self._pooling is Pooling.CLS:
            return output[:, 0]
        weights = mask[..., None].astype(output.dtype)
        mean: NDArray[np.float32] = (output * weights).sum(axis=1) / weights.sum(axis=1)
        return mean


def find_graph(folder: Path) -> Path:
    """The model's file in a folder; `ConfigurationError` if something is missing there."""
    graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if graph is None or not (folder / "tokenizer.json").is_file():
        raise ConfigurationError(
            f"{folder} must hold tokenizer.json and {' or '.join(_GRAPHS)} "
            "to be used as MEMORY_EMBEDDING_MODEL"
        )
    return graph


def _open_session(graph: Path) -> "InferenceSession":
    import onnxruntime  # noqa: PLC0415  # takes a tenth of a second

    options = onnxruntime.SessionOptions()
    # It works in the caller's thread, with that thread's priority.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            str(graph),
            options,
            providers=["CPUExecutionProvider"],
            # Adding and normalising in one step goes number by number, in two steps several at
            # once: a quarter of the whole time.
            disabled_optimizers=["SkipLayerNormFusion"],
        )
    except Exception as error:  # onnxruntime has a class for each fault and no common one
        raise ConfigurationError(f"{graph} cannot be loaded as an ONNX model") from error
    unknown = {given.name for given in session.get_inputs()} - {
        "input_ids",
        "attention_mask",
        "token_type_ids",
    }
    if unknown:
        raise ConfigurationError(f"{graph} wants {', '.join(sorted(unknown))}: no sentence model")
    return session


def _open_tokenizer(folder: Path, max_tokens: int) -> "Tokenizer":
    from tokenizers import Tokenizer  # noqa: PLC0415  # as above

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # tokenizers raises bare exceptions
        raise ConfigurationError(f"{folder / 'tokenizer.json'} is no tokenizer") from error
    tokenizer.no_padding()  # some pad every text to 128 tokens: 42 ms a question instead of 3
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


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
