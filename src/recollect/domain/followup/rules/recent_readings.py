"""What the rules made of recent questions: each turn reads the questions before its own again."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Final

from recollect.domain.followup.dialogue import HistoryMessage, Proposal

_LONGEST: Final = 10_000  # characters of a history: a digest of more takes as long as reading it
_KEY_BYTES: Final = 16


class RecentReadings:
    """Keeps the latest readings by a digest of the question and all of the history that they read.

    So of a history nothing is kept but what the rules proposed. `clear` drops that.
    """

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._readings: OrderedDict[bytes, Proposal | None] = OrderedDict()
        self._lock = Lock()

    def get_or_read(
        self,
        question: str,
        history: Sequence[HistoryMessage],
        language: str,
        read: Callable[[str, Sequence[HistoryMessage], str], Proposal | None],
    ) -> Proposal | None:
        """The reading of a question after a history; `read` makes it where it is not cached."""
        if sum(len(one.content) + len(one.sql_query or "") for one in history) > _LONGEST:
            return read(question, history, language)
        key = self._key(question, history, language)
        with self._lock:
            if key in self._readings:
                self._readings.move_to_end(key)
                return self._readings[key]
        reading = read(question, history, language)
        with self._lock:
            self._readings[key] = reading
            if len(self._readings) > self._size:
                self._readings.popitem(last=False)
        return reading

    def clear(self) -> None:
        """Drop all readings."""
        with self._lock:
            self._readings.clear()

    @staticmethod
    def _key(question: str, history: Sequence[HistoryMessage], language: str) -> bytes:
        # A length before each text tells where it ends.
        messages = (
            f"{one.role}{len(one.content)}:{one.content}{one.sql_query!r}" for one in history
        )
        text = f"{language}{len(question)}:{question}{''.join(messages)}"
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()
