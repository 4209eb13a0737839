"""Networks in ONNX files and their tokenizers, loaded into no more memory than they need."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from recollect.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession, OrtValue
    from tokenizers import Tokenizer

_LARGE: Final = 1_000_000  # bytes
_EIGHT_BITS: Final = {2: "uint8", 3: "int8"}
"""Types of numbers by their value in onnx.proto."""
# The numbers of fields in onnx.proto.
_GRAPH, _INITIALIZER = 7, 5
_DIMS, _DATA_TYPE, _NAME, _RAW_DATA = 1, 2, 8, 9
_VARINT, _BYTES = 0, 2
_FIXED: Final = {1: 8, 5: 4}
"""Bytes of the fields that have a fixed length, by their wire type."""


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded network; it blocks, and may be called from several threads."""

    session: "InferenceSession"
    tables: "Sequence[OrtValue]" = ()
    """What the session reads in the file and does not own; they must live as long as it does."""

    @property
    def inputs(self) -> list[str]:
        """The names of what it takes."""
        return [given.name for given in self.session.get_inputs()]

    @property
    def outputs(self) -> list[str]:
        """The names of what it gives."""
        return [output.name for output in self.session.get_outputs()]

    def run(
        self,
        given: "Mapping[str, NDArray[np.int64] | NDArray[np.float32]]",
        outputs: Sequence[str] | None = None,
    ) -> "list[NDArray[np.float32]]":
        """Compute these outputs, or all, in their order."""
        computed: list[NDArray[np.float32]] = self.session.run(outputs, given)
        return computed


@lru_cache(maxsize=8)
def installed_network(graph: Path) -> Network:
    """A network of the package; those who use the same share it."""
    return open_network(graph, is_installed=True)


def open_network(graph: Path, *, is_installed: bool = False) -> Network:
    """Load a network; `ConfigurationError` if it cannot be used.

    The tables of one in an installed package stay in the file: of the rows of all words only those
    that texts have are read, which saves 18 MB a network. Other files may be overwritten while
    they are used, which would end the process.
    """
    onnxruntime = _onnxruntime()
    options = onnxruntime.SessionOptions()
    # It works in the caller's thread, with that thread's priority.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    tables = {
        name: onnxruntime.OrtValue.ortvalue_from_numpy(table)
        for name, table in (_large_tables(graph) if is_installed else ())
    }
    for name, table in tables.items():
        options.add_initializer(name, table)
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
    return Network(session, tuple(tables.values()))


def _onnxruntime() -> ModuleType:
    """The library that runs networks, which by itself numbers the machine and reports its use.

    It reads the variable when it is loaded; where a program has loaded it before, the call ends
    its events, and what it has written stays.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # noqa: PLC0415  # takes a tenth of a second

    onnxruntime.disable_telemetry_events()
    module: ModuleType = onnxruntime
    return module


@lru_cache(maxsize=4)
def open_tokenizer(folder: Path, max_tokens: int) -> "Tokenizer":
    """Load the tokenizer of a folder, which cuts texts and does not pad them.

    Networks with the same tokenizer share it: it takes 11 MB.
    """
    from tokenizers import Tokenizer  # noqa: PLC0415  # loaded with the network

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # tokenizers raises bare exceptions
        raise ConfigurationError(f"{folder / 'tokenizer.json'} is no tokenizer") from error
    tokenizer.no_padding()  # some pad every text to 128 tokens: 42 ms a question instead of 3
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _large_tables(graph: Path) -> "Iterator[tuple[str, NDArray[np.integer[Any]]]]":
    """The large tensors of eight bits in an ONNX file, with their names, as they lie in it."""
    import numpy as np  # noqa: PLC0415  # loaded with the network

    with graph.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        for start, end in _parts(data, _GRAPH, 0, len(data)):
            for tensor in _parts(data, _INITIALIZER, start, end):
                table = _Tensor.read(data, *tensor)
                dtype = _EIGHT_BITS.get(table.data_type)
                if dtype is not None and table.size >= _LARGE:
                    yield (
                        table.name,
                        np.memmap(graph, dtype, mode="r", offset=table.at, shape=table.shape),
                    )


@dataclass(slots=True)
class _Tensor:
    """What an ONNX file tells of a tensor."""

    name: str = ""
    data_type: int = 0
    shape: tuple[int, ...] = ()
    at: int = 0
    size: int = 0
    """Where its numbers are in the file, and how many bytes."""

    @classmethod
    def read(cls, data: mmap, start: int, end: int) -> "_Tensor":
        tensor = cls()
        for field, value, length in _fields(data, start, end):
            if field == _DIMS:
                tensor.shape += (value,)
            elif field == _DATA_TYPE:
                tensor.data_type = value
            elif field == _NAME:
                tensor.name = data[value : value + length].decode()
            elif field == _RAW_DATA:
                tensor.at, tensor.size = value, length
        return tensor


def _parts(data: mmap, number: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the parts in a field of a message begin and end."""
    for field, at, length in _fields(data, start, end):
        if field == number:
            yield at, at + length


def _fields(data: mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a protobuf message: number, then place and length, or a number and 0."""
    at = start
    while at < end:
        key, at = _varint(data, at)
        field, wire_type = key >> 3, key & 7
        value, at = _varint(data, at) if wire_type in {_VARINT, _BYTES} else (0, at)
        if wire_type == _VARINT:
            yield field, value, 0
            continue
        length = value if wire_type == _BYTES else _FIXED[wire_type]
        yield field, at, length
        at += length


def _varint(data: mmap, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first; and the place after it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004  # the highest bit says that more follows
            return number, at
        shift += 7
