"""The words of a question that points back, and parts of it."""

from collections.abc import Sequence

from recollect.domain.followup.data_questions.endings import singular
from recollect.domain.followup.edits import Word
from recollect.domain.followup.languages import LanguageWords


class AskedWords:
    """A question, and where it points back."""

    def __init__(
        self, question: str, words: Sequence[Word], known: LanguageWords, *, may_be_single: bool
    ) -> None:
        self._question, self._known = question, known
        self._words = words
        self._lower = [word.text.lower() for word in words]
        self._pointers = known.row_pointers | (
            known.single_pointers if may_be_single else frozenset()
        )

    @property
    def _question_mark(self) -> str:
        return "" if self._lower[-1] == "?" else "?"

    def _ends_at(self, place: int) -> bool:
        """Whether no noun follows: "which of them are", not "which of these countries"."""
        word = self._lower[place]
        known = self._known
        return not word[0].isalnum() or word in known.small_words | known.data_verbs

    def _ends_at_or_none(self, place: int) -> bool:
        return place >= len(self._lower) or self._ends_at(place)

    def _heads_of(self, named: str) -> set[str]:
        """The nouns of several: "names" and "addresses"."""
        parts = named.lower().replace(",", f" {self._known.and_word} ")
        return {
            singular(part.split()[-1])
            for part in parts.split(f" {self._known.and_word} ")
            if part.strip()
        }

    def _head_of(self, text: str) -> str:
        """The noun of a phrase: "boat" of "all small boats in Hull"."""
        known = self._known
        head = ""
        for word in text.lower().split():
            if head and word in known.small_words:
                break
            if word not in known.articles | known.quantifiers:
                head = word
        return singular(head)

    def _end_of_names(self, first: int) -> int:
        """Where the names of properties end: "names and addresses"."""
        stops = self._known.small_words - {self._known.and_word, self._known.of_word}
        end = first
        while end < len(self._lower) and self._lower[end] not in stops | {"?", ".", "!"}:
            end += 1
        return end

    def _replaced(self, first: int, last: int, text: str) -> str:
        question, words = self._question, self._words
        return question[: words[first].start] + text + question[words[last].end :]

    def _text(self, first: int, end: int | None = None) -> str:
        words = self._words[first:end]
        return self._question[words[0].start : words[-1].end] if words else ""

    def _has_no_pointers(self, words: Sequence[str]) -> bool:
        known = self._known
        return (known.row_pointers | known.single_pointers).isdisjoint(words)
