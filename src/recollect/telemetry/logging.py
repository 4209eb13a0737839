"""Structured logs: a constant event, facts as fields, the transaction they belong to."""

import logging
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Final, TextIO

import orjson

transaction_id: Final[ContextVar[str]] = ContextVar("transaction_id", default="")
"""The id of the request being served, set at the edge and carried to every log line."""
trace_id: Final[ContextVar[str]] = ContextVar("trace_id", default="")
"""The trace that it belongs to, in 32 hexadecimal digits; empty: none."""


class JsonFormatter(logging.Formatter):
    """One JSON object a line, for machines."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the record as JSON."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        if current := transaction_id.get():
            line["transaction_id"] = current
        if trace := trace_id.get():
            line["trace_id"] = trace
        line |= _facts(record)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


class TextFormatter(logging.Formatter):
    """One readable line, for people at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Write time, level, event and facts."""
        facts = " ".join(f"{name}={value}" for name, value in _facts(record).items())
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        line = f"{time} {record.levelname.lower():7} {record.getMessage()} {facts}".rstrip()
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def configure_logging(*, level: str, as_json: bool | None, stream: TextIO = sys.stderr) -> None:
    """Send every log line to one stream in one form; `as_json` None asks the stream."""
    use_json = not stream.isatty() if as_json is None else as_json
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter() if use_json else TextFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # No line of ours shows these, and to look them up takes a third of a line's time.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging._srcfile = None  # noqa: SLF001  # as logging's HOWTO says
    # Libraries speak up when something is wrong; their progress reports are not ours.
    for name in ("sqlalchemy", "uvicorn", "asyncio", "httpx", "aiohttp", "opentelemetry"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _facts(record: logging.LogRecord) -> Mapping[str, object]:
    facts = getattr(record, "facts", None)
    return facts if isinstance(facts, Mapping) else {}
