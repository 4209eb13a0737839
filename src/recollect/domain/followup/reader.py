"""Reading with a memory: what was read of a conversation is not read again at its next turn."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from recollect.domain.followup.describing import (
    Mention,
    mentions_in_answer,
    mentions_in_question,
)
from recollect.domain.followup.grammar import Text, read
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.sql_values import as_stored

_REMEMBERED: Final = 500  # of each kind; an analysed answer takes about 20 kB

Asked = TypeVar("Asked", bound=Hashable)
Found = TypeVar("Found")


class Reader:
    """Reads texts of one language and remembers the last few hundred; for one thread at a time."""

    def __init__(self, pack: LanguagePack, *, remembered: int = _REMEMBERED) -> None:
        self.pack = pack
        self._texts: _Memory[str, Text] = _Memory(remembered)
        self._asked: _Memory[str, tuple[Mention, ...]] = _Memory(remembered)
        self._answered: _Memory[str, tuple[Mention, ...]] = _Memory(remembered)
        self._stored: _Memory[tuple[str, str], str] = _Memory(remembered)

    def read(self, text: str) -> Text:
        """Cut a text into tagged tokens."""
        return self._texts.get(text, lambda: read(text, self.pack))

    def mentions_in_question(self, text: Text) -> tuple[Mention, ...]:
        """What a question names."""
        return self._asked.get(text.text, lambda: tuple(mentions_in_question(text, self.pack)))

    def mentions_in_answer(self, answer: str) -> tuple[Mention, ...]:
        """What an answer names."""
        return self._answered.get(
            answer, lambda: tuple(mentions_in_answer(read(answer, self.pack), self.pack))
        )

    def as_stored(self, question: Text, sql: str) -> Text:
        """A question with its misspelt values as the database spells them."""
        said = question.text
        corrected = self._stored.get((said, sql), lambda: as_stored(said, sql))
        return question if corrected == said else self.read(corrected)


class _Memory(Generic[Asked, Found]):
    """The last results of something that takes long; the oldest make room."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._found: dict[Asked, Found] = {}

    def get(self, asked: Asked, find: Callable[[], Found]) -> Found:
        """What is remembered, or what is found now."""
        found = self._found.pop(asked, None)
        if found is None:
            found = find()
            if len(self._found) >= self._size:
                del self._found[next(iter(self._found))]
        self._found[asked] = found
        return found
