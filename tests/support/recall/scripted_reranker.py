"""A reranker whose scores a test chooses."""

from collections.abc import Callable, Sequence


class ScriptedReranker:
    """Scores texts by a function, zero if there is none; `asked` are the texts of each question."""

    def __init__(
        self,
        score: Callable[[str], float] = lambda _: 0.0,
        *,
        languages: frozenset[str] | None = None,
        problem: Exception | None = None,
    ) -> None:
        self._score = score
        self._languages = languages
        self.problem = problem
        self.asked: list[tuple[str, ...]] = []

    @property
    def model(self) -> str:
        return "scripted"

    @property
    def languages(self) -> frozenset[str] | None:
        return self._languages

    async def warm(self) -> None:
        if self.problem:
            raise self.problem

    async def scores(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        self.asked.append(tuple(texts))
        if self.problem:
            raise self.problem
        return tuple(map(self._score, texts))
