"""The tokens of the parts of a context, each in the form that takes most of them."""

from collections.abc import Callable, Iterable
from typing import Final

from recollect.domain.context.rendering import (
    FRAME,
    PAST_QUERIES,
    RECALLED_FRAME,
    RECALLED_HEADINGS,
    SUMMARY_FRAME,
    block_line,
    earlier_line,
    message_text,
    past_query,
    record,
    section_lines,
)
from recollect.domain.conversation.message import Message
from recollect.domain.recall.entry import Recalled
from recollect.ports.models import TokenCounter

TOKENS_A_MESSAGE: Final = 4  # what chat formats add for role and delimiters
_MAX_CACHED: Final = 50_000  # a few megabytes
_MAX_COUNTERS: Final = 20


class FormTokenCache:
    """The highest counts of messages and entries that were in contexts before.

    The messages of a conversation come again with each turn: making and counting their forms was a
    tenth of the time of a context. The cache holds a number for the hash of each, and no text.
    """

    def __init__(self) -> None:
        self._by_counter: dict[TokenCounter, dict[int, int]] = {}

    def of(self, counter: TokenCounter) -> dict[int, int]:
        """What this counter has counted, by the hash of what it was."""
        counts = self._by_counter.get(counter)
        if counts is None or len(counts) >= _MAX_CACHED:
            if len(self._by_counter) >= _MAX_COUNTERS:
                self._by_counter.clear()
            counts = self._by_counter[counter] = {}
        return counts


class FormTokens:
    """Counts the parts of one context, so that it fits in whichever form it is rendered.

    A text over the limit counts as any number above it: it is never shown whole.
    """

    def __init__(self, counter: TokenCounter, limit: int, cache: FormTokenCache) -> None:
        self._counter = counter
        self._limit = limit
        self._texts: dict[str, int] = {}
        self._highest = cache.of(counter)

    def of_text(self, text: str) -> int:
        """The tokens of a text, counted once."""
        tokens = self._texts.get(text)
        if tokens is None:
            tokens = self._texts[text] = self._counter.count(text, limit=self._limit)
        return tokens

    def of_message(self, message: Message) -> int:
        """The tokens of a message, with those of its role."""
        details = message.details
        parts = message.role, message.content, details.sql_query, details.tables_used
        return self._most(parts, lambda: _message_forms(message)) + TOKENS_A_MESSAGE

    def of_recalled(self, recalled: Recalled) -> int:
        """The tokens of a recalled entry, with the breaks around it."""
        parts = recalled.text, recalled.created_at.date()
        return self._most(parts, lambda: _entry_forms(recalled)) + TOKENS_A_MESSAGE

    def of_frame(self) -> int:
        """The tokens of what stands around a summary and a window."""
        return self._most("frame", lambda: (SUMMARY_FRAME, FRAME)) + TOKENS_A_MESSAGE

    def of_recalled_frame(self) -> int:
        """The tokens of what stands around recalled entries."""
        forms = RECALLED_FRAME, PAST_QUERIES, *RECALLED_HEADINGS
        return self._most("recalled frame", lambda: forms) + TOKENS_A_MESSAGE

    def _most(self, parts: object, forms: Callable[[], Iterable[str]]) -> int:
        """The highest count of the forms that are made from these parts."""
        key = hash((self._limit, parts))
        tokens = self._highest.get(key)
        if tokens is None:
            tokens = self._highest[key] = max(map(self.of_text, forms()))
        return tokens


def _message_forms(message: Message) -> tuple[str, ...]:
    return message_text(message), section_lines(message), block_line(message, language="nl")


def _entry_forms(recalled: Recalled) -> tuple[str, ...]:
    blocks = (earlier_line(recalled, language=language) for language in ("en", "nl"))
    return record(recalled), past_query(recalled), *blocks
