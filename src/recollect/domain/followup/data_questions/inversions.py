"""Questions to data whose verb stands before its subject: "Which harbour is Ruth in?"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.followup.data_questions.nouns import DataPhrase, all_of
from recollect.domain.followup.edits import Word
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_LONGEST_NOUN: Final = 4  # words
_SHORTEST: Final = 3  # words after the verb's beginning
_LONGEST_NESTED: Final = 6  # words of a subject with a clause of its own
_SIBILANTS: Final = ("ch", "sh", "s", "x", "z", "o")


def inverted_phrase(
    question: str, words: Sequence[Word], known: LanguageWords
) -> DataPhrase | None:
    """What such a question asks for, in the order of a statement; None for any other."""
    lower = [word.text.lower() for word in words]
    preposition = lower[0] if lower[0] in known.prepositions else ""
    first = int(bool(preposition))
    length = starting_phrase(lower, known.wh_words, start=first)
    start = first + length
    if not length or start >= len(words):
        return None
    inversion = _Inversion(question, words, lower, known)
    if lower[start + 1 : start + 3] == ["'", "s"] and not preposition:
        return inversion.owner_of(start)
    verbs = known.auxiliaries | known.helping_verbs
    verb = next((n for n in range(start + 1, len(lower)) if lower[n] in verbs), 0)
    if not 0 < verb - start <= _LONGEST_NOUN or len(words) - verb < _SHORTEST:
        return None
    return inversion.read(start, verb, preposition)


class _Inversion:
    def __init__(
        self, question: str, words: Sequence[Word], lower: Sequence[str], known: LanguageWords
    ) -> None:
        self._question, self._words = question, words
        self._lower, self._known = lower, known

    def read(self, start: int, verb: int, preposition: str) -> DataPhrase | None:
        """With the noun from `start` to the verb, and the subject after that."""
        known, lower = self._known, self._lower
        is_stranded = lower[-1] in known.prepositions and lower[verb] in known.helping_verbs
        end = len(lower) - 1 - is_stranded  # "does she teach in"
        noun, subject = self._text(start, verb), self._text(verb + 1, end)
        pointers = known.row_pointers | known.single_pointers
        if not pointers.isdisjoint(lower[verb:]) or lower[start] in pointers | known.quantifiers:
            return None
        is_nested = known.that in lower[verb:end] and end - verb > _LONGEST_NESTED
        if (
            is_nested
            or not subject
            or not lower[end].isalpha()
            or lower[verb + 1] in {known.not_word, "n"}
        ):
            return None
        last = self._words[-1].text
        if lower[verb] in known.auxiliaries and preposition:  # "in which towns is Frisian spoken"
            rest = f"{preposition} {known.which[0][0]} {subject} {lower[verb]} {last}"
        elif lower[verb] in known.auxiliaries and lower[-1] in known.prepositions:
            rest = f"{known.that} {subject} {lower[verb]} {last}"
        elif not preposition and lower[verb] in known.helping_verbs - {known.past_helping}:
            finite = self._finite(self._words[end].text, lower[verb])
            after = f" {last}" if is_stranded else ""
            rest = f"{known.that} {subject} {finite}{after}"
        else:
            return None
        counted = f"{noun} {rest}"
        text = f"{known.the} {counted}"
        phrase = DataPhrase(
            text=text,
            owner=text,
            counted=counted,
            subject=subject,
            counting=f"{preposition} {' '.join(known.how_many[0])} {self._text(start)}".strip(),
        )
        is_count = tuple(lower[start - len(known.how_many[0]) : start]) == known.how_many[0]
        each = self._of_each(phrase, subject) if is_count else None
        return replace(each, counted_object=noun) if each else phrase

    def _of_each(self, phrase: DataPhrase, subject: str) -> DataPhrase | None:
        """Of "how many masts does each of the boats have": the boats."""
        known = self._known
        words = subject.split(" ")
        if words[0].lower() not in known.each:
            return None
        is_listed = [word.lower() for word in words[1:3]] == [known.of_word, known.the]
        rows = " ".join(words[2:]) if is_listed else all_of(subject, known)
        if not rows or rows == known.the:
            return None
        counted = rows.removeprefix(f"{known.the} ")
        return replace(phrase, owner=rows, counted=counted, counting="", subject="")

    def owner_of(self, start: int) -> DataPhrase | None:
        """Of "which skipper's boat is not Ruth": the skipper whose boat is not Ruth."""
        whose = self._known.whose_word
        counted = f"{self._text(start, start + 1)} {whose} {self._text(start + 3)}"
        text = f"{self._known.the} {counted}"
        return DataPhrase(text=text, owner=text, counted=counted)

    def _finite(self, verb: str, helping: str) -> str:
        """A verb as it stands without the one that helps it: "does … have" is "has"."""
        forms = {many: one for one, many in self._known.plural_verbs.pairs.items()}
        if helping in forms:
            return verb
        ending = "es" if verb.endswith(_SIBILANTS) else "s"
        return forms.get(verb, f"{verb}{ending}")

    def _text(self, first: int, end: int | None = None) -> str:
        words = self._words[first:end]
        return self._question[words[0].start : words[-1].end] if words else ""
