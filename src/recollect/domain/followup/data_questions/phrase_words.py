"""Words of a question to data as parts of a noun phrase."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.followup.data_questions.endings import is_adverb, plural
from recollect.domain.followup.edits import Word
from recollect.domain.followup.languages import LanguageWords

_SHORTEST: Final = 2  # words of a clause


class PhraseWords:
    """Takes words of a question as they stand, with what a noun phrase needs."""

    def __init__(self, question: str, known: LanguageWords) -> None:
        self._question, self._known = question, known

    def _things(self, words: Sequence[Word]) -> str:
        """The things that names stand for: "all boats in Hull" of "all boat ids in Hull"."""
        known, lower = self._known, [word.text.lower() for word in words]
        ends = known.prepositions | known.restrictions
        head = next((n for n, word in enumerate(lower) if word in ends), len(lower)) - 1
        is_name = head > 0 and lower[head] in known.identifiers | known.about_nouns
        follows = "".join(lower[head + 1 : head + 2])
        if not is_name or follows in known.relatives | {known.of_word}:
            return ""  # "the names that begin with A", "the names of the boats"
        noun = lower[head - 1]
        plain = known.small_words | known.determiners | known.extremes | known.name_adjectives
        if not noun.isalpha() or noun in plain or not {",", known.and_word}.isdisjoint(lower):
            return ""
        is_one = not lower[head].endswith("s") and lower[head] not in known.about_nouns
        named = words[head - 1].text if is_one else plural(words[head - 1].text)
        before = self._definite(words[: head - 1]) if head > 1 else known.the
        return f"{before} {named} {self._text(words[head + 1 :])}".strip()

    def _counted(self, owner: Sequence[Word], things: str) -> str:
        """What "how many" counts; there is no number of "boat information"."""
        known = self._known
        head = next((w.text.lower() for w in owner if w.text.lower() in known.about_nouns), "")
        if not things or not head:
            return self._text(self._bare(owner))
        words = things.split()
        while len(words) > 1 and words[0].lower() in known.quantifiers:
            words.pop(0)
        return " ".join(words)

    def _bare(self, words: Sequence[Word]) -> Sequence[Word]:
        """Without the words that determine it: "all the"."""
        first = 0
        while first < len(words) - 1 and words[first].text.lower() in self._known.quantifiers:
            first += 1
        return words[first:]

    def _definite(self, words: Sequence[Word]) -> str:
        text = self._text(words)
        is_determined = words[0].text.lower() in self._known.determiners
        return text if is_determined else f"{self._known.the} {text}"

    def _text(self, words: Sequence[Word]) -> str:
        if not words:
            return ""
        text = self._question[words[0].start : words[-1].end]
        return text[:1].lower() + text[1:] if words[0].start == 0 and len(text) > 1 else text

    def _plural(self, predicate: str) -> str:
        """With the verb of a plural: "who has a pet" asks for those that have one."""
        first, _, rest = predicate.partition(" ")
        if rest and first.lower() in self._known.additions:
            return f"{first} {self._plural(rest)}"  # "also has"
        forms = self._known.plural_verbs.pairs
        return f"{forms.get(first.lower(), first)} {rest}".strip()

    def _with_second_verb(self, words: Sequence[Word], lower: Sequence[str]) -> str | None:
        """Of "are in Hull are for sale" after "boats that": "are in Hull and are for sale".

        None where another clause stands between.
        """
        known = self._known
        verbs = known.auxiliaries | known.data_verbs
        places = [
            n
            for n in range(2, len(lower) - 1)
            if (lower[n] in verbs and self._may_precede_verb(words[n - 1], verbs))
            or (lower[n] == known.also_word and n > _SHORTEST)
            or (lower[n] in known.helping_verbs and lower[n + 1] == known.not_word)
        ]
        if not places:
            return self._text(words)
        if not known.relatives.isdisjoint(lower[: places[0]]):
            return None
        first, second = self._text(words[: places[0]]), self._text(words[places[0] :])
        return f"{first} {known.and_word} {second}"

    def _may_precede_verb(self, word: Word, verbs: frozenset[str]) -> bool:
        """Whether a second verb may follow a word; "may" is none, but May is a month."""
        text = word.text.lower()
        is_month = text in self._known.months and word.text[0].isupper()
        return is_month or text not in self._known.small_words | verbs

    def _has_clause(self, words: Sequence[Word]) -> bool:
        """Whether words end with a clause that another may be added to: "boats that sail"."""
        known, lower = self._known, [word.text.lower() for word in words]
        places = [n for n, word in enumerate(lower) if word in known.relatives]
        if len(places) != 1 or not 0 < places[0] < len(lower) - 1:
            return False
        place = places[0]
        verb = place + 1 + is_adverb(lower[place + 1], known)
        verbs = known.auxiliaries | known.helping_verbs | known.data_verbs
        is_subject = lower[place - 1] not in known.prepositions
        return is_subject and verb < len(lower) and lower[verb] in verbs
