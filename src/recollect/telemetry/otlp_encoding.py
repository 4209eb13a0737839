"""Spans as the protobuf of OTLP: opentelemetry/proto/collector/trace/v1/trace_service.proto.

Written by hand, because a turn has dozens of spans: OpenTelemetry's classes take twenty times as
long for one, and protobuf's own three times. Tests read it with those classes.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from struct import Struct, pack
from typing import Final

from recollect.domain.text import storable
from recollect.ports.telemetry import AttributeValue, SpanKind
from recollect.telemetry.tracing import RecordedSpan

_MOST_CACHED: Final = 1_000
_LONGEST_CACHED: Final = 100
_REPEATED: Final = ("db.", "http.", "gen_ai.request.", "gen_ai.provider.", "gen_ai.operation.")
"""How the names of attributes begin whose values come again; what users say is kept nowhere."""
_ONE_BYTE: Final = 0x80
_INTEGERS: Final = 2**64
_LARGE_INTEGER: Final = 2**63
_KINDS: Final = {
    SpanKind.INTERNAL: b"\x30\x01",
    SpanKind.SERVER: b"\x30\x02",
    SpanKind.CLIENT: b"\x30\x03",
}
"""Field 6 of a span."""
_TIMES: Final = Struct("<BQBQ")
_BEGAN, _ENDED = 0x39, 0x41
"""Fields 7 and 8 of a span, of a fixed size."""
_FAILED: Final = b"\x7a\x02\x18\x02"
"""Field 15: a status with the code of an error."""
_LOCAL_PARENT: Final = b"\x85\x01\x00\x01\x00\x00"
_REMOTE_PARENT: Final = b"\x85\x01\x00\x03\x00\x00"
"""Field 16, whose bits 8 and 9 say whether the parent is another program's."""
_SCOPE: Final = b"\x0a\x0b\x0a\x09recollect"


def encoded_resource(attributes: Mapping[str, str]) -> bytes:
    """What sends the spans: a field of `encoded_spans`."""
    pairs = attributes.items()
    return _field(b"\x0a", b"".join(_field(b"\x0a", _pair(name, value)) for name, value in pairs))


def encoded_spans(spans: Iterable[RecordedSpan], resource: bytes) -> bytes:
    """An `ExportTraceServiceRequest` with spans of one resource."""
    of_scope = b"".join((_SCOPE, *[_field(b"\x12", _span(span)) for span in spans]))
    return _field(b"\x0a", resource + _field(b"\x12", of_scope))


def _span(span: RecordedSpan) -> bytes:
    return b"".join(
        (
            *(b"\x0a\x10", bytes.fromhex(span.trace_id)),
            *(b"\x12\x08", bytes.fromhex(span.span_id)),
            *((b"\x22\x08", bytes.fromhex(span.parent_id)) if span.parent_id else ()),
            _name(span.name),
            _KINDS[span.kind],
            _TIMES.pack(_BEGAN, span.began, _ENDED, span.ended),
            *[_attribute(name, value) for name, value in span.attributes.items()],
            _FAILED if span.is_error else b"",
            _REMOTE_PARENT if span.has_remote_parent else _LOCAL_PARENT,
        )
    )


@lru_cache(_MOST_CACHED)
def _name(name: str) -> bytes:
    return _field(b"\x2a", storable(name).encode())


def _attribute(name: str, value: AttributeValue) -> bytes:
    if isinstance(value, str) and len(value) <= _LONGEST_CACHED and name.startswith(_REPEATED):
        return _short_attribute(name, str(value))
    return _field(b"\x4a", _pair(name, value))


@lru_cache(_MOST_CACHED)
def _short_attribute(name: str, value: str) -> bytes:
    """Written once: most are names of statements, models and settings."""
    return _field(b"\x4a", _pair(name, value))


def _pair(name: str, value: AttributeValue) -> bytes:
    return _field(b"\x0a", name.encode()) + _field(b"\x12", _value(value))


def _value(value: AttributeValue) -> bytes:
    match value:
        case str():
            return _field(b"\x0a", storable(value).encode())
        case bool():
            return b"\x10\x01" if value else b"\x10\x00"
        case int() if -_LARGE_INTEGER <= value < _LARGE_INTEGER:
            return b"\x18" + _varint(value % _INTEGERS)
        case int():
            return _value(str(value))
        case float():
            return b"\x21" + pack("<d", value)
        case _:
            return _field(b"\x2a", b"".join(_field(b"\x0a", _value(one)) for one in value))


def _field(tag: bytes, content: bytes) -> bytes:
    """A field with a length."""
    size = len(content)
    return tag + (bytes((size,)) if size < _ONE_BYTE else _varint(size)) + content


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says that another follows."""
    written = bytearray()
    while number >= _ONE_BYTE:
        written.append(number % _ONE_BYTE + _ONE_BYTE)
        number //= _ONE_BYTE
    written.append(number)
    return bytes(written)
