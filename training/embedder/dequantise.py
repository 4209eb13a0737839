"""Read the shipped embedder back into a state that training can begin with.

PYTHONPATH=../followups python dequantise.py EMBEDDER.onnx STATE.pt
"""

import re
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from network import Encoder

_QUANTISED = re.compile(r"/encoder/layers\.(\d+)/(\w+)/MatMul_quant")
_PARTS = ("_quantized", "_scale", "_zero_point")


def encoder_of(path: Path) -> Encoder:
    """The encoder of a quantised ONNX file."""
    graph = onnx.load(path).graph
    tensors = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    state = {
        name.removeprefix("encoder."): values.copy()
        for name, values in tensors.items()
        if name.startswith("encoder.") and not name.endswith(_PARTS)
    }
    for node in graph.node:
        match = _QUANTISED.fullmatch(node.name) if node.op_type == "MatMulInteger" else None
        if match is not None:
            state[f"layers.{match[1]}.{match[2]}.weight"] = _whole(tensors, node.input[1]).T
    rows, scale = state.pop("words.rows"), state.pop("words.scale")
    state["words.weight"] = rows.astype(np.float32) * scale[:, None]
    encoder = Encoder(len(rows), dropout=0.0)
    encoder.load_state_dict(
        {name: torch.tensor(np.ascontiguousarray(values)) for name, values in state.items()}
    )
    return encoder


def _whole(tensors: dict[str, np.ndarray], quantised: str) -> np.ndarray:
    stem = quantised.removesuffix("_quantized")
    bytes_, zero = (tensors[f"{stem}_{part}"] for part in ("quantized", "zero_point"))
    return (bytes_.astype(np.float32) - zero) * tensors[f"{stem}_scale"]


if __name__ == "__main__":
    weights = encoder_of(Path(sys.argv[1])).state_dict()
    torch.save({name: value.half() for name, value in weights.items()}, sys.argv[2])
