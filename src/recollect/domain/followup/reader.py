"""Reading with a memory: what was read of a conversation is not read again at its next turn."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeAlias, TypeVar

from recollect.domain.followup.describing import Mention, mentions_in_answer
from recollect.domain.followup.grammar import read
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.question import Question
from recollect.domain.followup.restating import Before, Restated, restate
from recollect.domain.followup.sql_values import as_stored

_REMEMBERED: Final = 500  # of each kind; an analysed answer takes about 20 kB

Asked = TypeVar("Asked", bound=Hashable)
Found = TypeVar("Found")

_Circumstances: TypeAlias = tuple[str, str | None, bool, str, bool]
"""All that `restate` looks at: the question, and `Before` with the last question's words."""


class Reader:
    """Reads texts of one language and remembers the last few hundred; for one thread at a time."""

    def __init__(self, pack: LanguagePack, *, remembered: int = _REMEMBERED) -> None:
        self.pack = pack
        self._questions: _Memory[str, Question] = _Memory(remembered)
        self._restated: _Memory[_Circumstances, Restated | None] = _Memory(remembered)
        self._answered: _Memory[str, tuple[Mention, ...]] = _Memory(remembered)
        self._stored: _Memory[tuple[str, str], str] = _Memory(remembered)

    def read(self, question: str) -> Question:
        """Cut a question into tagged tokens."""
        return self._questions.get(
            question, lambda: Question(text=read(question, self.pack), pack=self.pack)
        )

    def restate(self, question: Question, before: Before) -> Restated | None:
        """See `restate`: the same words after the same words say the same."""
        last = None if before.question is None else before.question.said
        circumstances = (question.said, last, *before[1:])
        return self._restated.get(circumstances, lambda: restate(question, before))

    def mentions_in_answer(self, answer: str) -> tuple[Mention, ...]:
        """What an answer names."""
        return self._answered.get(
            answer, lambda: tuple(mentions_in_answer(read(answer, self.pack), self.pack))
        )

    def as_stored(self, question: Question, sql: str) -> Question:
        """A question with its misspelt values as the database spells them."""
        said = question.said
        corrected = self._stored.get((said, sql), lambda: as_stored(said, sql))
        return question if corrected == said else self.read(corrected)


class _Memory(Generic[Asked, Found]):
    """The last results of something that takes long; the oldest make room."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._found: dict[Asked, Found] = {}

    def get(self, asked: Asked, find: Callable[[], Found]) -> Found:
        """What is remembered, or what is found now."""
        if asked in self._found:
            found = self._found.pop(asked)
        else:
            found = find()
            if len(self._found) >= self._size:
                del self._found[next(iter(self._found))]
        self._found[asked] = found
        return found
