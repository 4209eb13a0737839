"""Latency of the two hot paths, beside the same SQL written by hand, in one run.

    make bench
    python benchmarks/latency.py --sizes 1000 1000000 --clients 1 10 20 --seconds 2.5

Reads the last ten messages of a session and writes a question with its answer: by hand with
asyncpg, through the service, and over HTTP against a real `recollect serve`. Works on embedded
servers of its own in a temporary folder; nothing of yours is touched. Asserts nothing: read
docs/reference/performance.md for what the figures mean.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Final

import orjson
import uvloop

from dataset import NotOurData
from measuring import measure
from recollect.errors import RecollectError
from report import Report
from stage import Stage

_SIZES: Final = (1_000, 1_000_000)
_CLIENTS: Final = (1, 10, 20)
_SECONDS: Final = 2.5
_MOST_VALUES: Final = 5


def main() -> int:
    """Measure and print; the exit status says whether that was possible."""
    arguments = _parse(sys.argv[1:])
    _forget_settings()
    try:
        with _folder(arguments.home) as folder:
            report = uvloop.run(_measure(arguments, folder))
    except (RecollectError, NotOurData, OSError) as error:
        print(f"latency: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if arguments.json:
        print(orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        print(report.as_text())
    return 0


async def _measure(arguments: argparse.Namespace, folder: Path) -> Report:
    async with AsyncExitStack() as stack:
        stages = [
            await stack.enter_async_context(Stage.open(size, folder=folder))
            for size in sorted(set(arguments.sizes))
        ]
        clients = sorted(set(arguments.clients))
        return Report(await measure(stages, client_counts=clients, seconds=arguments.seconds))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes",
        type=_number(1_000, 5_000_000, even=True),
        nargs="+",
        default=_SIZES,
        help="stored messages, one database each (default: 1000 1000000)",
    )
    parser.add_argument(
        "--clients",
        type=_number(1, 100),
        nargs="+",
        default=_CLIENTS,
        help="clients at once (default: 1 10 20)",
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=_SECONDS,
        help=f"time for each cell of the table (default: {_SECONDS})",
    )
    parser.add_argument(
        "--home", type=Path, help="keep the databases there, to start faster the next time"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parsed = parser.parse_args(arguments)
    if max(len(parsed.sizes), len(parsed.clients)) > _MOST_VALUES:
        parser.error(f"--sizes and --clients take at most {_MOST_VALUES} values each")
    return parsed


def _number(lowest: int, highest: int, *, even: bool = False) -> Callable[[str], int]:
    def parse(text: str) -> int:
        number = int(text) if text.isdecimal() else lowest - 1
        if not lowest <= number <= highest or (even and number % 2):
            kind = "an even number" if even else "a number"
            raise argparse.ArgumentTypeError(f"'{text}' is not {kind} from {lowest} to {highest}")
        return number

    return parse


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0.5 <= seconds <= 60:  # noqa: PLR2004  # said in the message
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds from 0.5 to 60")
    return seconds


def _forget_settings() -> None:
    """Drop every MEMORY_* setting, lest one of them lead to a database that is in use."""
    for name in [name for name in os.environ if name.startswith("MEMORY_")]:
        del os.environ[name]


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    """The folder that was asked for, or one that is deleted at the end."""
    if home is not None:
        home.mkdir(parents=True, exist_ok=True)
        yield home
        return
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        Path(folder).chmod(0o711)  # root's PostgreSQL runs as another account, which passes through
        yield Path(folder)


if __name__ == "__main__":
    sys.exit(main())
