"""A question to data, and the fragment that changes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.data_questions.endings import singular
from recollect.domain.followup.edits import Word, spoken_words
from recollect.domain.followup.languages import LanguageWords

CLAUSE_SIGNS: Final = frozenset(",?.!;:")
_ENDS: Final = "?.! "


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The words of a question, and those of the fragment after it."""

    text: str
    words: Sequence[Word]
    fragment: str
    body: Sequence[Word]
    """The fragment without its opener."""
    known: LanguageWords
    is_asked: bool
    """Whether the fragment has an opener or a question mark."""
    is_opened: bool
    old: Sequence[str]
    """The words of the question in small letters."""
    new: Sequence[str]
    """Those of the fragment's body."""

    @property
    def is_joined(self) -> bool:
        """Whether the fragment adds to the question: "and after 1990"."""
        return self.fragment.lower().lstrip().startswith(f"{self.known.and_word} ")

    @property
    def is_correction(self) -> bool:
        """Whether the fragment begins as a statement: "no, I meant"."""
        return self.fragment.split(maxsplit=1)[0].lower().strip(",") in self.known.statement_words

    @property
    def is_listed(self) -> bool:
        """Whether the fragment says that it wants some columns alone: "just show titles"."""
        return not self.known.only_words.isdisjoint(spoken_words(self.fragment))

    @property
    def is_value(self) -> bool:
        """Whether the fragment may say a value: it asks nothing itself, and points nowhere."""
        known = self.known
        return (known.wh_openers | known.row_pointers | known.single_pointers).isdisjoint(self.new)

    @property
    def is_addition(self) -> bool:
        """Whether what the fragment says comes beside what was asked for: "also the year"."""
        words = spoken_words(self.fragment)
        return not (self.known.additions - {self.known.instead_word}).isdisjoint(words)

    @property
    def segment_starts(self) -> frozenset[str]:
        """Words that begin a restriction of what is asked for."""
        known = self.known
        inside = {known.of_word} | known.inner_prepositions
        return (known.prepositions | known.conditions | known.restrictions) - inside

    def said(self, first: int = 0, end: int | None = None) -> str:
        """The fragment from a word on, as it stands."""
        last = len(self.body) if end is None else end
        text = self.fragment[self.body[first].start : self.body[last - 1].end]
        return text[:1].lower() + text[1:] if self.body[first].start == 0 else text

    def with_words(self, first: int, last: int, text: str) -> str:
        """The question with a text in the place of some words."""
        return self.text[: self.words[first].start] + text + self.text[self.words[last].end :]

    def without_words(self, first: int, last: int) -> str:
        """The question without some words; with a capital where it had one."""
        rest = self.text[self.words[last].end :]
        text = (self.text[: self.words[first].start].rstrip() + rest).strip()
        return text[:1].upper() + text[1:] if self.text[:1].isupper() else text

    def appended(self, addition: str) -> str:
        """The question with more at its end, before the sign that closes it."""
        end = len(self.text.rstrip(_ENDS))
        return f"{self.text[:end]}{addition}{self.text[end:].rstrip()}"

    def place_of(self, texts: Sequence[str]) -> int | None:
        """Where words stand in the question, if that is once."""
        size = len(texts)
        wanted, old = list(map(singular, texts)), list(map(singular, self.old))
        places = [n for n in range(len(old) - size + 1) if old[n : n + size] == wanted]
        return places[0] if len(places) == 1 else None
