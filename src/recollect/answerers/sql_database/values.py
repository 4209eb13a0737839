"""What databases hand out, as JSON."""

import math
from base64 import b64encode
from collections.abc import Mapping
from decimal import Decimal

from recollect.domain.text import JsonValue

_MAX_TEXT = 2000


def json_value(value: object) -> JsonValue:
    """A cell of a result; what JSON has no form for becomes text."""
    match value:
        case None | bool() | int():
            return value
        case float() | Decimal() if math.isfinite(value):
            return int(value) if value == int(value) else float(value)
        case bytes() | bytearray() | memoryview():
            return _cut(b64encode(bytes(value)).decode())
        case Mapping():
            return {str(key): json_value(part) for key, part in value.items()}
        case list() | tuple() | set():
            return [json_value(part) for part in value]
        case _:
            return _cut(str(value))


def _cut(text: str) -> str:
    kept = text.replace("\0", "").encode(errors="ignore").decode()
    return kept if len(kept) <= _MAX_TEXT else kept[: _MAX_TEXT - 1] + "…"
