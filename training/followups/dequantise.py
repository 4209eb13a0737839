"""Read the shipped network back into a state that training can begin with.

    python dequantise.py WEIGHTS STATE.pt

WEIGHTS is the folder of `followup.onnx` and `words.json`. The bytes lose a little of what was
learnt, which a few hundred steps bring back. Connecting words that were added since get no score
yet; the head that judges rewrites is not shipped and begins anew.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from function_words import CONNECTORS
from network import SpanEditor

_QUANTISED = re.compile(r"/([a-z]+)/(.+)/(?:MatMul|Gemm)(?:_MatMul)?_quant")
_PARTS = ("_quantized", "_scale", "_zero_point")
_BY_CONNECTOR = ("connect_classes", "connect_start.2")
_UNLIKELY = -4.0


def main(weights: Path, out: Path) -> None:
    """Write the state."""
    state = restored(weights / "followup.onnx", module="network", words="encoder.words")
    known = json.loads((weights / "words.json").read_text("utf-8"))["connectors"]
    for name in _BY_CONNECTOR:
        _renumber(state, name, known)
    _save(state, out)


def restored(path: Path, *, module: str, words: str) -> dict[str, np.ndarray]:
    """The weights of a module of a quantised graph; `words` is its embedding of words."""
    graph = onnx.load(path).graph
    tensors = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    state = {
        name.removeprefix(f"{module}."): values.copy()
        for name, values in tensors.items()
        if name.startswith(f"{module}.") and not name.endswith(_PARTS)
    }
    for node in graph.node:
        match = _QUANTISED.fullmatch(node.name) if node.op_type == "MatMulInteger" else None
        if match is not None and match[1] == module:
            name = _module_name(match[2].replace("/", "."))
            state[f"{name}.weight"] = _whole(tensors, node.input[1]).T
    rows, scale = state.pop(f"{words}.rows"), state.pop(f"{words}.scale")
    state[f"{words}.weight"] = rows.astype(np.float32) * scale[:, None]
    return state


def _module_name(path: str) -> str:
    """`encoder.layers.0.query` of the path `encoder/layers.0/query`."""
    parts = path.split(".")
    return ".".join(p for n, p in enumerate(parts) if n == 0 or p != parts[n - 1] or p.isdigit())


def _whole(tensors: dict[str, np.ndarray], quantised: str) -> np.ndarray:
    stem = quantised.removesuffix("_quantized")
    bytes_, zero = (tensors[f"{stem}_{part}"] for part in ("quantized", "zero_point"))
    return (bytes_.astype(np.float32) - zero) * tensors[f"{stem}_scale"]


def _renumber(state: dict[str, np.ndarray], name: str, known: list[str]) -> None:
    """Give each connecting word its number of today; the last row is the possessive."""
    weight, bias = state[f"{name}.weight"], state[f"{name}.bias"]
    new_weight = np.zeros((len(CONNECTORS) + 1, weight.shape[1]), np.float32)
    new_bias = np.full(len(CONNECTORS) + 1, _UNLIKELY if name == "connect_classes" else 0.0)
    for number, text in enumerate(CONNECTORS):
        if text in known:
            new_weight[number] = weight[known.index(text)]
            new_bias[number] = bias[known.index(text)]
    new_weight[-1], new_bias[-1] = weight[-1], bias[-1]
    state[f"{name}.weight"], state[f"{name}.bias"] = new_weight, new_bias.astype(np.float32)


def _save(state: dict[str, np.ndarray], out: Path) -> None:
    network = SpanEditor(len(state["encoder.words.weight"]))
    tensors = {name: torch.tensor(np.ascontiguousarray(v)) for name, v in state.items()}
    missing, unknown = network.load_state_dict(tensors, strict=False)
    if unknown or any(not name.startswith("verify.") for name in missing):
        sys.exit(f"missing {missing}, unknown {unknown}")
    torch.save({name: value.half() for name, value in network.state_dict().items()}, out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
