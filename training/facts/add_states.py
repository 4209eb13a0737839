"""Let the shipped embedder also give the states of its tokens, which the fact network reads.

    python add_states.py EMBEDDER.onnx OUT.onnx

Nothing is added but two outputs: the weights and the vectors stay as they are.
"""

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from network import WIDTH

STATES = {"states_3": "/encoder/layers.2/norm", "states_6": "/encoder/layers.5/norm"}


def main(source: Path, out: Path) -> None:
    """Write the graph with the states as outputs."""
    model = onnx.load(source)
    for name, layer in STATES.items():
        node = next(
            one
            for one in model.graph.node
            if one.name.startswith(layer) and one.op_type == "LayerNormalization"
        )
        given = node.output[0]
        model.graph.node.append(helper.make_node("Identity", [given], [name], name=f"/{name}"))
        shape = ["texts", "tokens", WIDTH]
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)
    onnx.save(model, out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
