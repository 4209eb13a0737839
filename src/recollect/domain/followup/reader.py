"""Reading with a memory: what was read of a conversation is not read again at its next turn."""

from dataclasses import dataclass, field
from typing import Final

from recollect.domain.followup.describing import Mention, mentions_in_answer
from recollect.domain.followup.grammar import read
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.question import Question
from recollect.domain.followup.recent import Recent
from recollect.domain.followup.restating import Before, Restated, restate
from recollect.domain.followup.sql_values import as_stored

_ANALYSED: Final = 200_000  # characters; what is found in a text takes about 100 bytes for each
_KEPT: Final = 1_000_000  # characters, where little but the words themselves is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingCache:
    """What was read lately, in all languages: of a hundred conversations or so, in about 20 MB.

    Everything is found by all the words it was made of, the language included, so that it is the
    same whether it was remembered or not.
    """

    questions: Recent[tuple[str, str], Question] = field(default_factory=lambda: Recent(_ANALYSED))
    answers: Recent[tuple[str, str], tuple[Mention, ...]] = field(
        default_factory=lambda: Recent(_ANALYSED)
    )
    restated: Recent[tuple[str, str, str | None, bool, str, bool], Restated | None] = field(
        default_factory=lambda: Recent(_KEPT)
    )
    stored: Recent[tuple[str, str], str] = field(default_factory=lambda: Recent(_KEPT))


class Reader:
    """Reads texts of one language and remembers the last of them; for one thread at a time."""

    def __init__(self, pack: LanguagePack, memory: ReadingCache) -> None:
        self.pack = pack
        self._memory = memory

    def read(self, question: str) -> Question:
        """Cut a question into tagged tokens."""
        return self._memory.questions.get(
            (self.pack.code, question),
            lambda: Question(text=read(question, self.pack), pack=self.pack),
        )

    def restate(self, question: Question, before: Before) -> Restated | None:
        """See `restate`: the same words after the same words say the same."""
        last = None if before.question is None else before.question.said
        return self._memory.restated.get(
            (self.pack.code, question.said, last, *before[1:]), lambda: restate(question, before)
        )

    def mentions_in_answer(self, answer: str) -> tuple[Mention, ...]:
        """What an answer names."""
        return self._memory.answers.get(
            (self.pack.code, answer),
            lambda: tuple(mentions_in_answer(read(answer, self.pack), self.pack)),
        )

    def as_stored(self, question: Question, sql: str) -> Question:
        """A question with its misspelt values as the database spells them."""
        said = question.said
        corrected = self._memory.stored.get((said, sql), lambda: as_stored(said, sql))
        return question if corrected == said else self.read(corrected)
