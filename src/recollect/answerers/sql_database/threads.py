"""Statements of drivers that block, in threads of their own, with bounded values."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from recollect.answerers.sql_database.data import BUSY, WAIT_SECONDS, StatementFailed, longest_text
from recollect.errors import DatabaseUnavailable

Type = TypeVar("Type")
# PostgreSQL's own numbers of its types, which never change.
_FIXED: Final = frozenset(
    {16, 20, 21, 23, 26, 700, 701, 1082, 1083, 1114, 1184, 1186, 1266, 2950}
)  # bool, int8, int2, int4, oid, float4, float8, dates and times, interval, uuid
_TEXTS: Final = frozenset({19, 25, 114, 1042, 1043, 3802})  # name, text, json, char, varchar, jsonb
_BYTES: Final = 17
_DUCKDB_FIXED: Final = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIME", "TIMESTAMP"),
    *("INTERVAL", "UUID"),
)
_DUCKDB_ZONED: Final = "WITH TIME ZONE"  # its Python client reads them with pytz alone
_DUCKDB_NESTED: Final = ("STRUCT(", "MAP(", "UNION(")
Result = TypeVar("Result")
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0
_CLOSE_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedStatement:
    """A statement that sends at most so many characters for each value."""

    text: str
    encoded: frozenset[int]
    """The columns that come as the beginning of their JSON."""
    longest: int


def bounded_for_postgres(statement: str, types: Sequence[int], *, limit: int) -> BoundedStatement:
    """Cut the columns of a statement, given the numbers of their types."""
    return _bounded(statement, types, limit, expression=_postgres, is_encoded=_is_encoded)


def bounded_for_duckdb(statement: str, types: Sequence[str], *, limit: int) -> BoundedStatement:
    """Cut the columns of a statement, given the names of their types."""
    return _bounded(statement, types, limit, expression=_duckdb, is_encoded=_is_nested)


def _bounded(
    statement: str,
    types: Sequence[Type],
    limit: int,
    *,
    expression: Callable[[str, Type, int], str],
    is_encoded: Callable[[Type], bool],
) -> BoundedStatement:
    longest = longest_text(columns=len(types), rows=limit)
    names = [f"c{number}" for number in range(len(types))]
    # One more than is shown, so that it can be seen that something was cut.
    pairs = zip(names, types, strict=True)
    expressions = ", ".join(expression(name, kind, longest + 1) for name, kind in pairs)
    return BoundedStatement(
        text=f"SELECT {expressions} FROM ({statement}) AS t({', '.join(names)})",  # noqa: S608  # names of our own
        encoded=frozenset(number for number, kind in enumerate(types) if is_encoded(kind)),
        longest=longest,
    )


def _is_encoded(kind: int) -> bool:
    return kind not in _FIXED and kind not in _TEXTS and kind != _BYTES


def _postgres(name: str, kind: int, length: int) -> str:
    if kind in _FIXED:
        return name
    if kind == _BYTES:
        return f"substr({name}, 1, {length})"
    text = f"to_json({name})" if _is_encoded(kind) else name
    return f"left({text}::text, {length})"


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_DUCKDB_NESTED)


def _duckdb(name: str, kind: str, length: int) -> str:
    if _is_nested(kind):
        return f"left(to_json({name})::varchar, {length})"
    if kind.startswith(_DUCKDB_FIXED) and not kind.endswith(_DUCKDB_ZONED):
        return name
    text = f"base64({name})" if kind == "BLOB" else f"{name}::varchar"
    return f"left({text}, {length})"


class RunningStatement:
    """One piece of blocking work in a thread, and how to end it early."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._interrupt: Callable[[], object] | None = None
        self._has_ended = threading.Event()
        self._is_stopped = False

    @contextmanager
    def interrupted_by(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Say how to end the work of this block; `StatementFailed` where it is to end already."""
        with self._lock:
            if self._is_stopped:
                raise StatementFailed("it was interrupted")
            self._interrupt = interrupt
        try:
            yield
        finally:
            with self._lock:  # afterwards the connection is somebody else's
                self._interrupt = None

    def end(self) -> None:
        """Note that the thread does nothing more."""
        self._has_ended.set()

    def stop(self) -> None:
        """Interrupt the work, without waiting until it has ended."""
        with self._lock:
            if self._is_stopped:
                return
            self._is_stopped = True
        threading.Thread(target=self._interrupt_until_ended, daemon=True).start()

    def _interrupt_until_ended(self) -> None:
        """Interrupt again and again: a driver that is between two statements takes no notice."""
        pause = _FIRST_PAUSE
        while not self._has_ended.is_set():
            with self._lock, suppress(Exception):  # whatever a driver raises: the next try follows
                if self._interrupt is not None:
                    self._interrupt()
            self._has_ended.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


class StatementThreads:
    """Runs blocking work in at most `limit` threads, and interrupts what takes too long.

    A thread counts until its work has really ended. They are daemon threads of their own: what
    cannot be interrupted takes no thread of the event loop's pool, and no process waits for it
    when it ends.
    """

    def __init__(self, *, limit: int) -> None:
        self._free = asyncio.Semaphore(limit)
        self._running: set[RunningStatement] = set()

    async def run(
        self,
        work: Callable[[RunningStatement], Result],
        *,
        timeout: float,  # noqa: ASYNC109  # of the work alone, not of the wait for a thread
    ) -> Result:
        """Return what the work returns; `StatementFailed` if it takes longer.

        `DatabaseUnavailable` if all threads stay busy. Cancelled or late work is interrupted.
        """
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            raise DatabaseUnavailable(BUSY) from None
        running = RunningStatement()
        outcome = self._start(work, running)
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.wrap_future(outcome)
        except TimeoutError:
            raise StatementFailed(f"it took more than {timeout:g} seconds") from None
        finally:
            if not outcome.done():
                running.stop()

    async def close(self) -> None:
        """Interrupt everything, and wait a few seconds until it has ended."""
        for running in list(self._running):
            running.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                while self._running:  # noqa: ASYNC110  # threads tell it by this set alone
                    await asyncio.sleep(_FIRST_PAUSE)

    def _start(
        self, work: Callable[[RunningStatement], Result], running: RunningStatement
    ) -> Future[Result]:
        loop = asyncio.get_running_loop()
        outcome: Future[Result] = Future()
        outcome.set_running_or_notify_cancel()

        def run() -> None:
            try:
                outcome.set_result(work(running))
            except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
                outcome.set_exception(error)
            running.end()
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(self._release, running)

        self._running.add(running)
        threading.Thread(target=run, name="sql-statement", daemon=True).start()
        return outcome

    def _release(self, running: RunningStatement) -> None:
        self._running.discard(running)
        self._free.release()
