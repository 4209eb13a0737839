"""A `NameFinder` that knows a list of names."""

import re
import threading
from collections.abc import Sequence

from recollect.domain.privacy.names import Span


class ListedNames:
    """Finds the names of a list whatever their case, and never from the thread that made it."""

    languages = ("en",)

    def __init__(self, *names: str) -> None:
        words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        self._names = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
        self._main = threading.get_ident()
        self.read: list[str] = []

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        assert threading.get_ident() != self._main, "names are looked for on the event loop"
        return self.find_here(texts)

    def find_here(self, texts: Sequence[str]) -> list[list[Span]]:
        """The same in any thread, for tests without an event loop."""
        self.read += texts
        return [[one.span() for one in self._names.finditer(text)] for text in texts]
