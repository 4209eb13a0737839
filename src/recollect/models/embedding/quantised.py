"""A model whose matrices have whole numbers of a byte: half the time, and much the same vectors."""

import hashlib
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnx import GraphProto, NodeProto

_LARGEST: Final = 63
"""Seven bits of eight: processors without instructions for this add two products in 16 bits."""
_QUANTISED: Final = "DynamicQuantizeMatMul"
_DOMAIN: Final = "com.microsoft"  # onnxruntime's own operators
_MAKING: Final = 2
"""Counts up when the same model is made into another: older ones are not taken for it."""

logger = logging.getLogger(__name__)


def quantised_file(graph: Path, *, kept_in: Path) -> Path:
    """The same model quantised, made when it is first needed and kept in that folder.

    Where the folder cannot be written, the model itself: its vectors are near enough the same.
    """
    made = kept_in / f"{_fingerprint(graph)}-7bit-{_MAKING}.onnx"
    if made.is_file():
        return made
    try:
        kept_in.mkdir(parents=True, exist_ok=True)
        _write(made, quantised(graph))
        for older in set(kept_in.glob(f"{_fingerprint(graph)}-7bit*.onnx")) - {made}:
            older.unlink(missing_ok=True)
    except OSError as error:
        facts = {"problem": type(error).__name__, "folder": str(kept_in)}
        logger.warning("embedder.not_quantised", extra={"facts": facts})
        return graph
    return made


def _fingerprint(graph: Path) -> str:
    """Tells one model from another by its graph and the size of its weights."""
    sizes = [path.stat().st_size for path in sorted(graph.parent.glob(f"{graph.name}*"))]
    return hashlib.sha256(graph.read_bytes() + repr(sizes).encode()).hexdigest()[:16]


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, whoever else writes it at the same time."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except OSError:  # a full disk, say, which half a model would keep full
            Path(file.name).unlink()
            raise


def quantised(graph: Path) -> bytes:
    """The model in that file, with each product by a matrix of weights done in whole numbers.

    What is multiplied is scaled as it comes, the weights once, each column by its largest.
    """
    import onnx  # noqa: PLC0415  # takes a quarter of a second

    # From a copy: the library refuses weights with several hard links, which is how some
    # installers put packages in place.
    with tempfile.TemporaryDirectory() as folder:
        for part in graph.parent.glob(f"{graph.name}*"):
            shutil.copy(part, folder)
        model = onnx.load(Path(folder, graph.name))
    weights = {one.name: one for one in model.graph.initializer}
    for node in list(model.graph.node):
        if node.op_type == "MatMul" and node.input[1] in weights:
            _quantise(model.graph, node, onnx.numpy_helper.to_array(weights[node.input[1]]))
            _add_at_once(model.graph, node)
    used = {name for node in model.graph.node for name in node.input}
    for name in weights.keys() - used:
        model.graph.initializer.remove(weights[name])
    if all(one.domain != _DOMAIN for one in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid(_DOMAIN, 1))
    content: bytes = model.SerializeToString()
    return content


def _quantise(graph: "GraphProto", node: "NodeProto", weights: "NDArray[np.float32]") -> None:
    """Let one product take its weights as whole numbers."""
    import numpy as np  # noqa: PLC0415  # as above
    from onnx import numpy_helper  # noqa: PLC0415

    scales = np.maximum(np.abs(weights).max(axis=0), 1e-12).astype(np.float32) / _LARGEST
    whole = np.rint(weights / scales).astype(np.int8)
    names = f"{node.input[1]}.whole", f"{node.input[1]}.scales"
    graph.initializer.append(numpy_helper.from_array(whole, names[0]))
    graph.initializer.append(numpy_helper.from_array(scales, names[1]))
    node.op_type, node.domain = _QUANTISED, _DOMAIN
    node.input[1:] = names


def _add_at_once(graph: "GraphProto", product: "NodeProto") -> None:
    """Let a product add the biases that are added to it next, without a step of their own."""
    readers = [node for node in graph.node if product.output[0] in node.input]
    if len(readers) != 1 or readers[0].op_type != "Add":
        return
    (added,) = readers
    (other,) = set(added.input) - {product.output[0]}
    biases = next((one for one in graph.initializer if one.name == other), None)
    if biases is not None and len(biases.dims) == 1:
        product.input.extend(("", other))  # its weights have no zero point
        product.output[0] = added.output[0]
        graph.node.remove(added)
