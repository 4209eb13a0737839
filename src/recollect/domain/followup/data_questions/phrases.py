"""What a question to data asks for, as a noun phrase: "the flights that land in Lisbon"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_LONGEST: Final = 40  # words of a question
_SENTENCE_END: Final = re.compile(r"[.!?…]\s+\S")
_ENDS: Final = frozenset(".?!,;:")
_LONGEST_NOUN: Final = 4  # words before the verb: "United Airlines flights"
_SHORTEST_PREDICATE: Final = 2  # words
_SHORTEST_PLURAL: Final = 4  # letters


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPhrase:
    """The rows that a question asks for: "the names of the singers from France"."""

    text: str
    """With its article."""
    owner: str
    """What the named properties belong to: "the singers from France"; else the same."""
    counted: str
    """What "How many …" counts, without an article."""
    predicate: str = ""
    """What is said of `counted`, where the question has a verb: "land in Lisbon"."""
    whole: str = ""
    """Where the question is about some of the rows, all of them."""
    verb: str = ""
    """And the verb of what it says of some."""
    is_restricted: bool = True


def data_phrase(question: str, known: LanguageWords) -> DataPhrase | None:
    """What a question asks for; None where that cannot be read off its form."""
    words = [word for word in words_of(question) if word.text != "\ufeff"]
    while words and words[-1].text in _ENDS:
        words.pop()
    if not 1 < len(words) <= _LONGEST or _SENTENCE_END.search(question[: words[-1].end]):
        return None
    return _Reader(question, known).read(words)


class _Reader:
    def __init__(self, question: str, known: LanguageWords) -> None:
        self._question, self._known = question, known

    def read(self, words: Sequence[Word]) -> DataPhrase | None:
        lower = [word.text.lower() for word in words]
        known = self._known
        for length in (
            starting_phrase(lower, known.data_requests),
            starting_phrase(lower, known.data_copulas),
        ):
            if length and length < len(words):
                rest = words[length:]
                is_clause = starting_phrase(lower[length:], known.wh_words) > 0
                return self.read(rest) if is_clause else self._named(rest)
        if lower[0] in known.among:
            return self._subset(words, lower)
        length = starting_phrase(lower, known.wh_words)
        return self._asked(words[length:]) if length else None

    def _named(self, words: Sequence[Word]) -> DataPhrase | None:
        """Of "the number of singers from France": the singers."""
        lower = [word.text.lower() for word in words]
        counted = starting_phrase(lower, self._known.counts)
        if counted and counted < len(words):
            words, lower = words[counted:], lower[counted:]
        known = self._known
        place = next((n for n, word in enumerate(lower) if word in known.prepositions), len(lower))
        if lower[0] in known.predicate_starts or not place or "," in lower[place:]:
            return None
        owner = self._owner(words, lower, place) or words
        return DataPhrase(
            text=self._definite(words),
            owner=self._definite(owner),
            counted=self._text(self._bare(owner)),
            is_restricted=not (known.prepositions | known.restrictions).isdisjoint(
                word.text.lower() for word in owner
            ),
        )

    def _asked(self, words: Sequence[Word]) -> DataPhrase | None:
        """Of "which flights land in Lisbon": the flights that land in Lisbon."""
        known, lower = self._known, [word.text.lower() for word in words]
        verb = next((n for n in range(1, len(lower)) if self._is_verb(n, lower)), 0)
        if not 0 < verb <= _LONGEST_NOUN or not self._is_predicate(words[verb:], lower[verb:]):
            return None
        predicate = self._text(words[verb:])
        if lower[0] == known.of_word and verb > 1:  # "which of the flights are late"
            text = f"{self._text(words[1:verb])} {known.that} {predicate}"
            return DataPhrase(text=text, owner=text, counted=f"{known.of_word} {text}")
        if lower[0] in known.quantifiers | known.pointers or "'" in lower[:verb]:
            return None
        noun = self._text(words[:verb])
        exists = starting_phrase(lower[verb:], known.there_are)
        if exists:
            return self._existing(noun, words[verb + exists :])
        if lower[verb - 1] == known.that:
            return self._rows(f"{noun} {predicate}")
        text = f"{known.the} {noun} {known.that} {predicate}"
        return DataPhrase(text=text, owner=text, counted=noun, predicate=predicate)

    def _existing(self, noun: str, rest: Sequence[Word]) -> DataPhrase | None:
        """Of "how many skippers are there in Hull": the skippers in Hull."""
        if rest and rest[0].text.lower() not in self._known.prepositions:
            return None
        return self._rows(f"{noun} {self._text(rest)}".strip())

    def _rows(self, counted: str) -> DataPhrase:
        text = f"{self._known.the} {counted}"
        return DataPhrase(text=text, owner=text, counted=counted)

    def _subset(self, words: Sequence[Word], lower: Sequence[str]) -> DataPhrase | None:
        """Of "of the flights of today, which are late": those flights that are late."""
        commas = [n for n, word in enumerate(lower) if word == ","]
        if not commas or commas[-1] + 2 >= len(words):
            return None
        comma = commas[-1]
        length = starting_phrase(lower[comma + 1 :], self._known.wh_words)
        predicate = words[comma + 1 + length :]
        said_of = [word.text.lower() for word in predicate]
        adverbs = int(bool(said_of) and said_of[0] in self._known.additions)
        if not length or not self._is_verb(adverbs, said_of):
            return None
        said = f"{self._known.that} {self._plural(self._text(predicate))}"
        text = f"{self._text(words[1:comma])} {said}"
        counted = f"{self._text(self._bare(words[1:comma]))} {said}"
        return DataPhrase(
            text=text,
            owner=text,
            counted=counted,
            whole=self._text(words[1:comma]),
            verb=said_of[adverbs],
        )

    def _is_predicate(self, words: Sequence[Word], lower: Sequence[str]) -> bool:
        """Whether words say something of the noun before: not "which region is Angola in"."""
        if len(words) < _SHORTEST_PREDICATE:
            return False
        is_inverted = lower[0] in self._known.auxiliaries and words[1].text[0].isupper()
        return not is_inverted and lower[-1] not in self._known.prepositions

    def _plural(self, predicate: str) -> str:
        """With the verb of a plural: "who has a pet" asks for those that have one."""
        first, _, rest = predicate.partition(" ")
        forms = {one[0]: one[1] for one in self._known.plural_verbs}
        return f"{forms.get(first.lower(), first)} {rest}"

    def _is_verb(self, place: int, lower: Sequence[str]) -> bool:
        known = self._known
        if place >= len(lower):
            return False
        word = lower[place]
        if word in known.helping_verbs:
            return lower[place + 1 : place + 2] == [known.not_word]
        return word in known.auxiliaries | known.data_verbs

    def _owner(self, words: Sequence[Word], lower: Sequence[str], place: int) -> Sequence[Word]:
        """What follows "of" or "for" after a property: of "the names of the singers", the singers.

        `place` is that of the first preposition.
        """
        known = self._known
        if place >= len(words) - 1 or lower[place] not in known.owner_prepositions:
            return ()
        head = lower[place - 1]
        are_many = not {",", known.and_word}.isdisjoint(lower[:place])
        is_property = are_many or head in known.properties or singular(head) == head
        return words[place + 1 :] if is_property and lower[place + 1] != known.that else ()

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


def part_from(phrase: str, noun: str, known: LanguageWords) -> str | None:
    """A phrase from its noun on: "the countries in Africa" of "the names of the countries in …"."""
    words = words_of(phrase)
    texts = [word.text.lower() for word in words]
    wanted = noun.lower()
    same = [n for n, text in enumerate(texts) if text == wanted]
    alike = [n for n, text in enumerate(texts) if singular(text) == singular(wanted)]
    heads = {n for n in alike if not _is_modifier(texts, n, known)}
    same, alike = ([n for n in places if n in heads] for places in (same, alike))
    if not alike:
        return None
    place = (same or alike)[0]
    first = place
    while first > 0 and texts[first - 1].isalnum() and texts[first - 1] not in known.small_words:
        first -= 1
    before = phrase[words[first].start : words[place].start]
    rest = texts[place + 1 : place + 3]
    forms = {one[0]: one[1] for one in known.plural_verbs}
    if not same and len(rest) > 1 and rest[1] in forms:  # "each country that does" but one noun
        verb = words[place + 2]
        after = f" {rest[0]} {forms[rest[1]]}{phrase[verb.end :]}"
    else:
        after = phrase[words[place].end :]
    return f"{known.the} {before}{noun}{after}"


def _is_modifier(texts: Sequence[str], place: int, known: LanguageWords) -> bool:
    """Whether a noun belongs to the one after it: the "car" of "car ids"."""
    following = texts[place + 1] if place + 1 < len(texts) else ""
    verbs = known.data_verbs | known.auxiliaries
    return (
        following.isalpha()
        and following not in known.small_words | verbs
        and not following.endswith(("ed", "ing"))
    )


def singular(noun: str) -> str:
    """A noun without the ending of its plural, as far as that can be seen."""
    if noun.endswith("ies") and len(noun) > _SHORTEST_PLURAL:
        return f"{noun[:-3]}y"
    is_plural = noun.endswith("s") and not noun.endswith("ss") and len(noun) >= _SHORTEST_PLURAL
    return noun[:-1] if is_plural else noun
