"""What a question to data asks for, as a noun phrase: "the flights that land in Lisbon"."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from recollect.domain.followup.data_questions.inversions import inverted_phrase
from recollect.domain.followup.data_questions.nouns import DataPhrase, singular
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_LONGEST: Final = 40  # words of a question
_CACHED_QUESTIONS: Final = 256
_SENTENCE_END: Final = re.compile(r"[.!?…]\s+\S")
_ENDS: Final = frozenset(".?!,;:")
_APOSTROPHES: Final = frozenset(("'", "\u2019"))
_ADVERBS: Final = "ly"
_LONGEST_NOUN: Final = 4  # words before the verb: "United Airlines flights"
_SHORTEST: Final = 2  # words of a question
_SHORTEST_PREDICATE: Final = 2  # words


@lru_cache(maxsize=_CACHED_QUESTIONS)
def data_phrase(question: str, known: LanguageWords) -> DataPhrase | None:
    """What a question asks for; None where that cannot be read off its form."""
    words = [word for word in words_of(question) if word.text != "\ufeff"]
    while words and (words[-1].text in _ENDS or words[-1].text.lower() in known.additions):
        words.pop()
    if [word.text.lower() for word in words[-2:]] == ["as", "well"]:
        words = words[:-2]
    if '"' not in question and any(word.text == "?" for word in words):
        return None
    if not 1 < len(words) <= _LONGEST or _SENTENCE_END.search(question[: words[-1].end]):
        return None
    return _Reader(question, known).read(words)


class _Reader:
    def __init__(self, question: str, known: LanguageWords) -> None:
        self._question, self._known = question, known

    def read(self, words: Sequence[Word]) -> DataPhrase | None:
        known = self._known
        lower = [word.text.lower() for word in words]
        if lower[0] in known.adverbs and len(words) > 1:  # "now, show me"
            words = words[1 + (lower[1] == ",") :]
            lower = [word.text.lower() for word in words]
        if len(words) < _SHORTEST:
            return None
        for length in (
            starting_phrase(lower, known.data_requests),
            starting_phrase(lower, known.data_copulas),
        ):
            if length and length < len(words):
                is_only = lower[length] in known.only_words and length + 1 < len(words)
                rest = words[length + is_only :]
                is_clause = starting_phrase(lower, known.wh_words, start=length + is_only) > 0
                return self.read(rest) if is_clause else self._named(rest)
        is_for = lower[0] in known.owner_prepositions and lower[1] not in known.each
        if lower[0] in known.among or (is_for and "," in lower):
            return self._subset(words, lower)
        if lower[0] == known.who and self._is_verb(1 + (lower[1] in known.quantifiers), lower):
            said = f"{known.who} {self._plural(self._text(words[1:]))}"
            text = f"{known.those} {said}"
            return DataPhrase(text=text, owner=text, counted=f"{known.people} {said}")
        length = starting_phrase(lower, known.wh_words)
        read = self._asked(words[length:]) if length else None
        return read or inverted_phrase(self._question, words, known)

    def _named(self, words: Sequence[Word]) -> DataPhrase | None:
        """Of "the number of singers from France": the singers."""
        lower = [word.text.lower() for word in words]
        counted = starting_phrase(lower, self._known.counts)
        if counted and counted < len(words):
            words, lower = words[counted:], lower[counted:]
        known = self._known
        place = next((n for n, word in enumerate(lower) if word in known.prepositions), len(lower))
        is_odd = sum(word in _APOSTROPHES for word in lower[:place]) % 2 == 1
        has_owner = is_odd or any(
            one in _APOSTROPHES and two == "s" for one, two in pairwise(lower)
        )
        is_open = lower[-1] in known.prepositions and lower[-2:-1] != [known.or_word]
        starts = known.predicate_starts
        if lower[0] in starts or not place or has_owner or is_open or "," in lower[place:]:
            return None
        owner = self._owner(words, lower, place) or words
        no_noun = known.determiners | known.comparing | known.extremes | known.number_words
        heads = [w.text.lower() for w in owner if w.text.lower() not in known.prepositions]
        if all(word in no_noun or word.isdecimal() for word in heads) or self._is_bare(lower):
            return None  # "each", "the longest", "older than 20"
        return DataPhrase(
            text=self._definite(words),
            owner=self._definite(owner),
            counted=self._text(self._bare(owner)),
            is_restricted=not (known.prepositions | known.restrictions).isdisjoint(
                word.text.lower() for word in owner
            ),
        )

    def _is_bare(self, lower: Sequence[str]) -> bool:
        known = self._known
        first = next((word for word in lower if word not in known.articles), "")
        is_bound = starting_phrase(
            [word for word in lower if word not in known.articles], known.bounds
        )
        return first == known.not_word or is_bound > 0

    def _asked(self, words: Sequence[Word]) -> DataPhrase | None:
        """Of "which flights land in Lisbon": the flights that land in Lisbon."""
        known, lower = self._known, [word.text.lower() for word in words]
        no_noun = known.additions | known.auxiliaries | known.data_verbs
        verb = next((n for n in range(1, len(lower)) if self._is_verb(n, lower)), 0)
        is_noun = 0 < verb <= _LONGEST_NOUN and known.helping_verbs.isdisjoint(lower[:verb])
        is_named = is_noun and lower[0] not in no_noun  # not "which harbour did Ruth visit"
        if not is_named or not self._is_predicate(words[verb:], lower[verb:]):
            return None
        while verb > 1 and lower[verb - 1].endswith(_ADVERBS):
            verb -= 1  # "skippers currently live"
        predicate = self._text(words[verb:])
        if lower[0] == known.of_word and verb > 1:  # "which of the flights are late"
            that = "" if lower[verb - 1] == known.that else f" {known.that}"
            text = f"{self._text(words[1:verb])}{that} {predicate}"
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
        known, comma = self._known, commas[-1]
        whole, rest = words[1:comma], lower[comma + 1 :]
        if rest[0] in known.conditions:  # "whose name is Ruth"
            return self._restricted(whole, self._text(words[comma + 1 :]))
        length = starting_phrase(rest, known.wh_words)
        ones = starting_phrase(rest, known.which_of_them)
        copula = starting_phrase(rest, known.data_copulas)
        if copula and rest[copula : copula + 1] and rest[copula] in known.articles:
            named = self._text(words[comma + 1 + copula :])
            owner = self._text(whole)
            text = f"{named} {known.of_word} {owner}"
            return DataPhrase(text=text, owner=owner, counted=self._text(self._bare(whole)))
        if starting_phrase(rest, known.data_requests):
            return self._request_for_ones(whole, words[comma + 1 :])
        predicate = words[comma + 1 + max(length, ones) :]
        said_of = [word.text.lower() for word in predicate]
        adverbs = int(bool(said_of) and said_of[0] in known.additions)
        is_verb = self._is_verb(adverbs, said_of) or (
            said_of[1:2] and said_of[1] in known.prepositions  # "which refer to"
        )
        if not length or not (is_verb or (ones > length and said_of)):
            return None
        said = f"{known.that} {self._plural(self._text(predicate))}"
        return self._restricted(whole, said, verb=said_of[adverbs])

    def _request_for_ones(self, whole: Sequence[Word], words: Sequence[Word]) -> DataPhrase | None:
        """Of "of the flights, give the times of the ones that are late": the late flights."""
        known, lower = self._known, [word.text.lower() for word in words]
        pairs = enumerate(pairwise(lower), start=1)
        places = [n for n, (a, b) in pairs if a in known.articles and b in known.item_words]
        if len(places) != 1:
            return None
        before, after = words[: places[0] - 1], words[places[0] + 1 :]
        noun = f"{self._known.the} {self._text(self._bare(whole))}"
        return data_phrase(f"{self._text(before)} {noun} {self._text(after)}", self._known)

    def _restricted(self, whole: Sequence[Word], said: str, *, verb: str = "") -> DataPhrase:
        text = f"{self._text(whole)} {said}"
        return DataPhrase(
            text=text,
            owner=text,
            counted=f"{self._text(self._bare(whole))} {said}",
            whole=self._text(whole) if verb else "",
            verb=verb,
        )

    def _is_predicate(self, words: Sequence[Word], lower: Sequence[str]) -> bool:
        """Whether words say something of the noun before: not "which region is Angola in"."""
        if len(words) < _SHORTEST_PREDICATE:
            return False
        is_inverted = lower[0] in self._known.auxiliaries and words[1].text[0].isupper()
        if self._is_identity(lower):
            return False
        return not is_inverted and lower[-1] not in self._known.prepositions

    def _is_identity(self, lower: Sequence[str]) -> bool:
        """Whether "are the oldest boats" tells what something is, not which one is meant."""
        known = self._known
        is_verb = lower[0] in {phrase[0] for phrase in known.there_are}
        plain = known.small_words | known.extremes
        return is_verb and lower[1] == known.the and not plain.issuperset(lower[2:])

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
        return word in known.auxiliaries | known.data_verbs or self._follows_plural(place, lower)

    def _follows_plural(self, place: int, lower: Sequence[str]) -> bool:
        """Whether a word after a plural is its verb: "boats sail to"."""
        known = self._known
        before, word = lower[place - 1] if place else "", lower[place]
        is_plural = singular(before) != before and before not in known.small_words
        is_word = word.isalpha() and singular(word) == word and word not in known.small_words
        follows = "".join(lower[place + 1 : place + 2])
        return is_plural and is_word and follows in known.prepositions - {known.of_word}

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
