"""Read the shipped fact networks back into states that training can begin with.

    PYTHONPATH=.:../followups python read_back.py facts.onnx OUT

OUT is a folder, which gets `facts0.pt`, `facts1.pt` and so on, one of each network. The graph
keeps their weights as they are, so nothing is lost.
"""

import re
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from heads import FactHeads
from onnx import numpy_helper

_PRODUCT = re.compile(r"/(networks\.[0-9]+)/(.+)/MatMul")


def states_of(path: Path) -> list[dict[str, torch.Tensor]]:
    """The weights of each network of the graph."""
    graph = onnx.load(path).graph
    tensors = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        match = _PRODUCT.fullmatch(node.name)
        if match is not None and node.input[1] in tensors:
            tensors[f"{match[1]}.{_module(match[2])}.weight"] = tensors[node.input[1]].T
    return [_state(tensors, f"networks.{number}.") for number in range(_networks(tensors))]


def _module(path: str) -> str:
    """`tags.0` of `tags/tags.0`, and `layers.0.inner` of `layers.0/inner`."""
    outer, _, inner = path.partition("/")
    return inner if inner.startswith(f"{outer}.") else path.replace("/", ".")


def _networks(tensors: dict[str, np.ndarray]) -> int:
    return 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("networks."))


def _state(tensors: dict[str, np.ndarray], prefix: str) -> dict[str, torch.Tensor]:
    wanted = FactHeads().state_dict()
    return {
        name: torch.tensor(tensors[prefix + name]).reshape(wanted[name].shape) for name in wanted
    }


def main(graph: Path, out: Path) -> None:
    """Write the states."""
    out.mkdir(exist_ok=True)
    for number, state in enumerate(states_of(graph)):
        torch.save(state, out / f"facts{number}.pt")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
