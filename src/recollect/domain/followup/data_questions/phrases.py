"""What a question to data asks for, as a noun phrase: "the flights that land in Lisbon"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from recollect.domain.followup.data_questions.completing import counted_object
from recollect.domain.followup.data_questions.endings import is_adverb, singular
from recollect.domain.followup.data_questions.inversions import inverted_phrase
from recollect.domain.followup.data_questions.nouns import DataPhrase, all_of
from recollect.domain.followup.data_questions.phrase_words import PhraseWords
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords, PhraseList, starting_phrase

_LONGEST: Final = 40  # words of a question
_CACHED_QUESTIONS: Final = 256
_SENTENCE_END: Final = re.compile(r"[.!?…]\s+\S")
_ENDS: Final = frozenset(".?!,;:")
_APOSTROPHES: Final = frozenset(("'", "\u2019"))
_ANYBODY: Final = ("one", "body", "thing")
_LONGEST_NOUN: Final = 4  # words before the verb: "United Airlines flights"
_CLAUSE_START: Final = 2  # words: "that often"
_SHORTEST: Final = 2  # words of a question
_SHORTEST_PREDICATE: Final = 2  # words


@lru_cache(maxsize=_CACHED_QUESTIONS)
def data_phrase(question: str, known: LanguageWords) -> DataPhrase | None:
    """What a question asks for; None where that cannot be read off its form."""
    words = [word for word in words_of(question) if word.text != "\ufeff"]
    while words and _says_nothing(words, known):
        words.pop()
    if tuple(word.text.lower() for word in words[-2:]) in known.as_well:
        words = words[:-2]
    if '"' not in question and any(word.text == "?" for word in words):
        return None
    if not 1 < len(words) <= _LONGEST or _SENTENCE_END.search(question[: words[-1].end]):
        return None
    rows, sort_key = _without_order(question, words, known)
    phrase = _Reader(question, known).read(rows)
    return replace(phrase, sort_key=sort_key) if phrase and sort_key else phrase


def _says_nothing(words: Sequence[Word], known: LanguageWords) -> bool:
    """Whether the last word is a sign, or one such as "too"; "else" belongs to "somebody"."""
    last = words[-1].text.lower()
    before = words[-2].text.lower() if len(words) > 1 else ""
    return last in _ENDS or (last in known.additions and not before.endswith(_ANYBODY))


def _without_order(
    question: str, words: Sequence[Word], known: LanguageWords
) -> tuple[Sequence[Word], str]:
    """The words before ", sorted by price", and what they are sorted by."""
    lower = [word.text.lower() for word in words]
    pairs = list(pairwise(lower))
    sort = (",", known.sorted_by.split(" ")[0])
    if sort not in pairs:
        return words, ""
    place = pairs.index(sort)
    keys = {known.sort_by_word, known.of_word}
    key = next((n for n in range(place + 2, len(words) - 1) if lower[n] in keys), None)
    if place < _SHORTEST or key is None:
        return words[: max(place, _SHORTEST)], ""
    return words[:place], question[words[key + 1].start : words[-1].end]


class _Reader(PhraseWords):
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
                if is_clause:
                    return self.read(rest)
                phrase = self._named(rest)
                is_person = phrase is not None and lower[0] == known.who
                return replace(phrase, owner=phrase.text) if phrase and is_person else phrase
        for way in (self._ordered, self._for_each, self._some, self._people):
            if (phrase := way(words, lower)) is not None:
                return phrase
        if lower[0] in known.among | known.owner_prepositions and "," in lower:
            return None
        length = starting_phrase(lower, known.wh_words)
        read = self._asked(words[length:]) if length else None
        return read or inverted_phrase(self._question, words, known)

    def _ordered(self, words: Sequence[Word], lower: Sequence[str]) -> DataPhrase | None:
        """Of "order the boats by age": the boats."""
        known = self._known
        by = lower.index(known.sort_by_word) if known.sort_by_word in lower else len(words)
        is_order = lower[0] in {phrase[0] for phrase in known.sort}
        is_read = is_order and lower[1] not in known.pointers and 1 < by < len(words) - 1
        return self._named(words[1:by]) if is_read else None

    def _some(self, words: Sequence[Word], lower: Sequence[str]) -> DataPhrase | None:
        known = self._known
        is_for = lower[0] in known.owner_prepositions and lower[1] not in known.each
        is_some = lower[0] in known.among or (is_for and "," in lower)
        return self._subset(words, lower) if is_some else None

    def _people(self, words: Sequence[Word], lower: Sequence[str]) -> DataPhrase | None:
        """Of "who has a boat": those who have a boat."""
        known = self._known
        if lower[0] != known.who:
            return None
        if not self._is_verb(1 + (lower[1] in known.quantifiers), lower):
            return None
        said = f"{known.who} {self._plural(self._text(words[1:]))}"
        text = f"{known.those} {said}"
        return DataPhrase(text=text, owner=text, counted=f"{known.people} {said}")

    def _named(self, words: Sequence[Word]) -> DataPhrase | None:
        """Of "the number of singers from France": the singers."""
        lower = [word.text.lower() for word in words]
        known = self._known
        counted = starting_phrase(lower, known.counts)
        if counted and counted < len(words):
            each = self._counted_each(words, lower)
            if each is not None:
                return each
            words, lower = words[counted:], lower[counted:]
        place = next((n for n, word in enumerate(lower) if word in known.prepositions), len(lower))
        is_odd = sum(word in _APOSTROPHES for word in lower[:place]) % 2 == 1
        has_owner = is_odd or any(
            one in _APOSTROPHES and two == "s" for one, two in pairwise(lower)
        )
        is_open = lower[-1] in known.prepositions and lower[-2:-1] != [known.or_word]
        starts = known.predicate_starts
        if lower[0] in starts or not place or has_owner or is_open or "," in lower[place:]:
            return None
        is_about = place > 1 and lower[place - 1] in known.about_nouns
        is_about = is_about and lower[place] != known.of_word if place < len(lower) else False
        about = self._things(words) if is_about else ""  # "the order details for Acme"
        owner = () if about else self._owner(words, lower, place)
        sort_key = self._text(self._bare(words[:place])) if self._is_each(owner) else ""
        owner = owner or words
        things = self._things(owner)
        no_noun = known.determiners | known.comparing | known.extremes | known.number_words
        heads = [w.text.lower() for w in owner if w.text.lower() not in known.prepositions]
        if all(word in no_noun or word.isdecimal() for word in heads) or self._is_bare(lower):
            return None  # "each", "the longest", "older than 20"
        return DataPhrase(
            text=self._definite(words),
            owner=things or self._definite(owner),
            counted=self._counted(owner, things),
            is_restricted=not (known.prepositions | known.restrictions).isdisjoint(
                word.text.lower() for word in owner
            ),
            sort_key=sort_key,
        )

    def _is_each(self, words: Sequence[Word]) -> bool:
        return bool(words) and words[0].text.lower() in self._known.each

    def _counted_each(self, words: Sequence[Word], lower: Sequence[str]) -> DataPhrase | None:
        """Of "the number of masts for each boat": the boats."""
        known = self._known
        place = next((n for n, word in enumerate(lower) if word in known.each), 0)
        if not place or lower[place - 1] not in known.prepositions or place + 1 >= len(words):
            return None
        if lower[place + 1] in known.item_words:
            return None
        listed = starting_phrase(lower, PhraseList([(known.of_word, known.the)]), start=place + 1)
        rest = self._text(words[place + 1 + listed :])
        rows = f"{known.the} {rest}" if listed else all_of(f"{lower[place]} {rest}", known)
        if rows is None or not rest:
            return None
        counted = rows.removeprefix(f"{known.the} ")
        text = self._definite(words)
        return DataPhrase(text=text, owner=rows, counted=counted, is_restricted=" " in counted)

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
        longest = _LONGEST_NOUN + _CLAUSE_START * (known.that in lower[:verb])
        is_noun = 0 < verb <= longest and known.helping_verbs.isdisjoint(lower[:verb])
        is_named = is_noun and lower[0] not in no_noun  # not "which harbour did Ruth visit"
        if not is_named or not self._is_predicate(words[verb:], lower[verb:]):
            return None
        while verb > 1 and is_adverb(lower[verb - 1], known):
            verb -= 1  # "skippers currently live"
        predicate = self._text(words[verb:])
        is_clause = lower[verb - 1] == known.that
        said = self._with_second_verb(words[verb:], lower[verb:]) if is_clause else predicate
        if lower[0] == known.of_word and verb > 1 and said:  # "which of the flights are late"
            that = "" if is_clause else f" {known.that}"
            text = f"{self._text(words[1:verb])}{that} {said}"
            return DataPhrase(text=text, owner=text, counted=f"{known.of_word} {text}")
        no_rows = known.quantifiers | known.pointers | {known.of_word}
        if not said or lower[0] in no_rows or "'" in lower[:verb]:
            return None
        noun = self._text(words[:verb])
        exists = starting_phrase(lower[verb:], known.there_are)
        if exists:
            return self._existing(noun, words[verb + exists :])
        if is_clause:
            return self._rows(f"{noun} {said}")
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

    def _for_each(self, words: Sequence[Word], lower: Sequence[str]) -> DataPhrase | None:
        """Of "for each boat in Hull, show the masts": the boats in Hull."""
        known, comma = self._known, lower.index(",") if "," in lower else 0
        if lower[0] not in known.owner_prepositions or lower[1] not in known.each:
            return None
        listed = list(lower[2:4]) == [known.of_word, known.the]
        if comma < _SHORTEST + 1 + listed or comma + 1 >= len(words):
            return None
        rows = self._text(words[3:comma]) if listed else all_of(self._text(words[1:comma]), known)
        counted = (rows or "").removeprefix(f"{known.the} ")
        request = starting_phrase(lower, known.data_requests, start=comma + 1)
        shown = words[comma + 1 + request :] if request else ()
        is_one = all(word.text.isalpha() for word in shown)
        key = self._text(self._bare(shown)) if shown and is_one else ""
        return DataPhrase(text=rows, owner=rows, counted=counted, sort_key=key) if rows else None

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
            return self._property_of(whole, words[comma + 1 + copula :])
        if starting_phrase(rest, known.data_requests):
            return self._request_for_ones(whole, words[comma + 1 :])
        return self._said_of(whole, words[comma + 1 :], length, ones)

    def _are_many(self, words: Sequence[Word]) -> bool:
        """Whether one of the first words is a plural: "pets older than 3"."""
        nouns = [word.text.lower() for word in words[:_LONGEST_NOUN]]
        small = self._known.small_words
        return any(singular(noun) != noun and noun not in small for noun in nouns)

    def _property_of(self, whole: Sequence[Word], named: Sequence[Word]) -> DataPhrase:
        owner = self._text(whole)
        text = f"{self._text(named)} {self._known.of_word} {owner}"
        return DataPhrase(text=text, owner=owner, counted=self._text(self._bare(whole)))

    def _said_of(
        self, whole: Sequence[Word], words: Sequence[Word], length: int, ones: int
    ) -> DataPhrase | None:
        """With what is said of some of the rows, after `length` words that ask which."""
        known = self._known
        predicate = words[max(length, ones) :]
        said_of = [word.text.lower() for word in predicate]
        adverbs = int(bool(said_of) and said_of[0] in known.additions)
        is_verb = self._is_verb(adverbs, said_of) or (
            said_of[1:2] and said_of[1] in known.prepositions  # "which refer to"
        )
        if not length or not (is_verb or (ones > length and said_of)):
            return None
        said = f"{known.that} {self._plural(self._text(predicate))}"
        phrase = self._restricted(whole, said, verb=said_of[adverbs])
        meant = predicate[adverbs + 2 :]
        is_about_others = said_of[adverbs] in known.belonging_verbs and bool(meant)
        others = self._definite(meant) if is_about_others else ""  # "which refer to boats of 1990"
        return replace(
            phrase,
            owner=others if self._are_many(meant) and others else phrase.owner,
            counted_object=counted_object(said_of[adverbs:], known),
        )

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
        known = self._known
        if self._has_clause(whole):
            said = f"{known.and_word} {said.removeprefix(f'{known.that} ')}"
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
        if before == known.that and place > 1:  # "boats that sail to"
            before = lower[place - 2]
        is_plural = singular(before) != before and before not in known.small_words
        is_word = word.isalpha() and singular(word) == word and word not in known.small_words
        follows = "".join(lower[place + 1 : place + 2])
        return is_plural and is_word and follows in known.prepositions - {known.of_word}

    def _owner(self, words: Sequence[Word], lower: Sequence[str], place: int) -> Sequence[Word]:
        """What follows "of" or "for" after a property: of "the names of the singers", the singers.

        `place` is that of the first preposition.
        """
        known = self._known
        if place >= len(words) - 1:
            return ()
        head = lower[place - 1]
        is_about = head in known.about_nouns and lower[place] in known.about_words
        if lower[place] not in known.owner_prepositions and not is_about:
            return ()
        are_many = not {",", known.and_word}.isdisjoint(lower[:place])
        is_property = are_many or head in known.properties | known.row_nouns
        is_property = is_property or singular(head) == head or lower[place + 1] in known.each
        is_thing = lower[place + 1] != known.that and not lower[place + 1][0].isdigit()
        return words[place + 1 :] if is_property and is_thing else ()
