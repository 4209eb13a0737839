"""A copy of a sentence model whose weights are whole numbers of seven bits.

A question takes a third of the processor time, see docs/decisions/0010. The file is changed with
protobuf, which onnxruntime needs anyway: the package onnx would be another 30 MB.
"""

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LARGEST: Final = 63
"""Seven bits of eight: processors without instructions for this add two products in 16 bits."""
_QUANTISED: Final = "DynamicQuantizeMatMul"
_DOMAIN: Final = "com.microsoft"  # onnxruntime's own operators
_VERSION: Final = 3
"""Part of the file's name; a change of this module that changes the file counts it up."""
_FLOAT, _INT8 = 1, 3  # data types of ONNX
# The fields of ONNX's messages that are read or changed; protobuf passes the others through.
# Each has a number and a type: a name of protobuf's, or another message.
_FORMAT: Final = {
    "Pair": "key 1 string, value 2 string",
    "Tensor": "dims 1 int64*, data_type 2 int32, name 8 string, raw_data 9 bytes, "
    "external_data 13 Pair*, data_location 14 int32",
    "Node": "input 1 string*, output 2 string*, op_type 4 string, domain 7 string",
    "Graph": "node 1 Node*, initializer 5 Tensor*",
    "Opset": "domain 1 string, version 2 int64",
    "Model": "graph 7 Graph, opset_import 8 Opset*",
}
_Message = Any  # protobuf makes its classes at run time

logger = logging.getLogger(__name__)


def quantised_file(graph: Path, *, kept_in: Path) -> Path:
    """The quantised copy of a model, made when it is first needed and stored in that folder.

    If the folder cannot be written, the model itself: its vectors are nearly the same.
    """
    prefix = f"{_fingerprint(graph)}-7bit"
    copy = kept_in / f"{prefix}-{_VERSION}.onnx"
    if copy.is_file():
        return copy
    try:
        kept_in.mkdir(parents=True, exist_ok=True)
        _write(copy, quantised(graph))
        for older in set(kept_in.glob(f"{prefix}*.onnx")) - {copy}:
            older.unlink(missing_ok=True)
    except OSError as error:
        facts = {"problem": type(error).__name__, "folder": str(kept_in)}
        logger.warning("embedder.not_quantised", extra={"facts": facts})
        return graph
    return copy


def _fingerprint(graph: Path) -> str:
    """Tells one model from another by its graph and the size of its weights."""
    sizes = [path.stat().st_size for path in sorted(graph.parent.glob(f"{graph.name}*"))]
    return hashlib.sha256(graph.read_bytes() + repr(sizes).encode()).hexdigest()[:16]


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, even if other processes write it at the same time."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except OSError:  # such as a full disk, which half a model would keep full
            Path(file.name).unlink()
            raise


def quantised(graph: Path) -> bytes:
    """The model in a file, with each product by a matrix of weights done in whole numbers.

    What is multiplied is scaled at run time, the weights once, each column by its largest.
    """
    model = _message("Model")()
    model.ParseFromString(graph.read_bytes())
    for tensor in model.graph.initializer:
        _load(tensor, graph.parent)
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in list(model.graph.node):
        if node.op_type == "MatMul" and node.input[1] in weights:
            _quantise(model.graph, node, _array(weights[node.input[1]]))
            _add_biases(model.graph, node)
    used = {name for node in model.graph.node for name in node.input}
    for name in weights.keys() - used:
        model.graph.initializer.remove(weights[name])
    if all(opset.domain != _DOMAIN for opset in model.opset_import):
        model.opset_import.add(domain=_DOMAIN, version=1)
    content: bytes = model.SerializeToString()
    return content


@cache
def _message(name: str) -> Callable[[], _Message]:
    """The class of one of the messages in `_FORMAT`."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # noqa: PLC0415

    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="recollect/onnx.proto", package="recollect")
    for message, fields in _FORMAT.items():
        described = file.message_type.add(name=message)
        for field in fields.split(", "):
            key, number, kind = field.split()
            label = "REPEATED" if kind.endswith("*") else "OPTIONAL"
            one = described.field.add(
                name=key, number=int(number), label=field_type.Label.Value(f"LABEL_{label}")
            )
            if kind.rstrip("*") in _FORMAT:
                one.type, one.type_name = field_type.TYPE_MESSAGE, f".recollect.{kind.rstrip('*')}"
            else:
                one.type = field_type.Type.Value(f"TYPE_{kind.rstrip('*').upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made: Callable[[], _Message] = message_factory.GetMessageClass(
        pool.FindMessageTypeByName(f"recollect.{name}")
    )
    return made


def _load(tensor: _Message, folder: Path) -> None:
    """Take the numbers of a tensor into it that are in a file beside the model."""
    if not tensor.external_data:
        return
    place = {pair.key: pair.value for pair in tensor.external_data}
    with (folder / Path(place["location"]).name).open("rb") as file:
        file.seek(int(place.get("offset", 0)))
        tensor.raw_data = file.read(int(place["length"]))
    tensor.ClearField("external_data")
    tensor.ClearField("data_location")


def _array(tensor: _Message) -> "NDArray[np.float32]":
    import numpy as np  # noqa: PLC0415  # loaded with the model

    return np.frombuffer(tensor.raw_data, dtype="<f4").reshape(tuple(tensor.dims))


def _quantise(graph: _Message, node: _Message, weights: "NDArray[np.float32]") -> None:
    """Let one product take its weights as whole numbers, with a scale for each column."""
    import numpy as np  # noqa: PLC0415  # as above

    scales = np.maximum(np.abs(weights).max(axis=0), 1e-12).astype("<f4") / _LARGEST
    whole = np.rint(weights / scales).astype(np.int8)
    names = f"{node.input[1]}.whole", f"{node.input[1]}.scales"
    for name, kind, array in zip(names, (_INT8, _FLOAT), (whole, scales), strict=True):
        graph.initializer.add(name=name, data_type=kind, dims=array.shape, raw_data=array.tobytes())
    node.op_type, node.domain = _QUANTISED, _DOMAIN
    node.input[1:] = names


def _add_biases(graph: _Message, product: _Message) -> None:
    """Let a product add the biases that are added to it next, without a step of their own."""
    readers = [node for node in graph.node if product.output[0] in node.input]
    if len(readers) != 1 or readers[0].op_type != "Add":
        return
    (addition,) = readers
    (other,) = set(addition.input) - {product.output[0]}
    biases = next((tensor for tensor in graph.initializer if tensor.name == other), None)
    if biases is not None and len(biases.dims) == 1:
        product.input.extend(("", other))  # its weights have no zero point
        product.output[0] = addition.output[0]
        graph.node.remove(addition)
