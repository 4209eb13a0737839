"""Ways of pointing back that have a form of their own: "this film's budget", "each one"."""

from itertools import pairwise
from typing import Final, NamedTuple

from recollect.domain.followup.data_questions.asked_words import AskedWords
from recollect.domain.followup.data_questions.completing import completed
from recollect.domain.followup.data_questions.endings import is_superlative, singular
from recollect.domain.followup.data_questions.nouns import (
    DataPhrase,
    all_of,
    is_plural,
    of_which_each,
    part_from,
)
from recollect.domain.followup.languages import starting_phrase

_APOSTROPHES: Final = ("'", "\u2019")
_DENIED: Final = 2  # words: "did not"


class _Replacement(NamedTuple):
    """Words of a question, the first and the last one included, and what stands for them."""

    first: int
    last: int
    text: str


class SpecialPointers(AskedWords):
    """A question with a phrase in the place of what points to it in a form of its own."""

    def _adding(self, phrase: DataPhrase) -> str | None:
        """As "Which boats are also for rent?" after "Which boats are for sale?"."""
        known, lower = self._known, self._lower
        length = starting_phrase(lower, known.wh_words)
        if not length or not phrase.is_restricted or known.also_word not in lower[length:]:
            return None
        if lower[length] == known.also_word:
            return self._among(phrase.owner, f"{self._text(0, 1).lower()} {self._text(1)}")
        noun = phrase.counted.lower().split()
        if not phrase.predicate or lower[length : length + len(noun)] != noun:
            return None
        rest = self._text(length + len(noun))
        return f"{self._text(0, length)} {phrase.counted} {known.that} {phrase.predicate} {rest}"

    def _replacing(self, phrase: DataPhrase) -> str | None:
        """With the phrase for what alone points to it: "each one", "from the above results"."""
        ways = (self._noun_owning, self._above, self._each_noun, self._each_one, self._extreme_one)
        for way in ways:
            found = way(phrase)
            if found is None:
                continue
            others = (*self._lower[: found.first], *self._lower[found.last + 1 :])
            if self._has_no_pointers(others):
                return self._replaced(found.first, found.last, found.text)
        return None

    def _only(self, kind: frozenset[str]) -> int | None:
        """Where the only word of a kind stands behind the first word."""
        places = [n for n, word in enumerate(self._lower) if n and word in kind]
        return places[0] if len(places) == 1 else None

    def _after(self, place: int) -> str:
        """The word behind a place in small letters; empty at the end."""
        return "".join(self._lower[place + 1 : place + 2])

    def _noun_owning(self, phrase: DataPhrase) -> _Replacement | None:
        """As "this film's budget": the budget of the film that won the most awards."""
        known, lower = self._known, self._lower
        pointers = known.noun_pointers | known.row_determiners
        place = next((n for n, word in enumerate(lower[:-4]) if word in pointers), None)
        if place is None or lower[place + 2] not in _APOSTROPHES:
            return None
        first = place + 3 + (lower[place + 3] == "s")
        end = self._end_of_names(first)
        part = part_from(phrase.text, self._words[place + 1].text, known)
        if part is None or end == first:
            return None
        owned = f"{known.the} {self._text(first, end)} {known.of_word} {part}"
        return _Replacement(place, end - 1, owned)

    def _above(self, phrase: DataPhrase) -> _Replacement | None:
        """As "from the above results"."""
        known, place = self._known, self._only(self._known.above_words)
        if place is None or self._after(place) not in known.row_nouns:
            return None
        first = place - (self._lower[place - 1] in known.articles)
        return _Replacement(first, place + 1, phrase.text)

    def _each_noun(self, phrase: DataPhrase) -> _Replacement | None:
        """As "the price of each boat" after "Which boats are in Hull?"."""
        known, lower, place = self._known, self._lower, self._only(self._known.each)
        if place is None or not phrase.is_restricted:
            return None
        rest = [word for word in lower[place + 2 :] if word[0].isalnum()]
        nouns = {singular(word) for word in phrase.counted.lower().split()[:1]}
        is_same = lower[place - 1] in known.prepositions and singular(self._after(place)) in nouns
        if not is_same or rest:
            return None
        rows = of_which_each(phrase.owner, known)
        return _Replacement(place, place + 1, f"{self._words[place].text} {known.of_word} {rows}")

    def _each_one(self, phrase: DataPhrase) -> _Replacement | None:
        """As "the price of each one", or "the masts of each": each of the boats."""
        known, lower, place = self._known, self._lower, self._only(self._known.each)
        owner = all_of(phrase.owner, known)
        if place is None or owner is None or not is_plural(owner, known):
            return None
        follows = self._after(place)
        is_one = follows in known.item_words
        is_bare = not follows[:1].isalnum() and lower[place - 1] in known.prepositions
        if not (is_one or is_bare):
            return None
        text = f"{lower[place]} {known.of_word} {of_which_each(owner, known)}"
        return _Replacement(place, place + is_one, text)

    def _extreme_one(self, phrase: DataPhrase) -> _Replacement | None:
        """As "What is the largest one?": the largest of the boats."""
        known, lower, place = self._known, self._lower, self._only(self._known.item_words)
        owner = all_of(phrase.text, known)
        if place is None or owner is None or not is_plural(owner, known):
            return None
        is_end = not self._after(place)[:1].isalnum()
        is_most = lower[place - 2] in known.counted_extremes  # "most expensive"
        is_bound = starting_phrase(lower, known.bounds, start=place - 2) > 0  # "at least one"
        asks = starting_phrase(lower, known.data_copulas) > 0
        if is_bound or not is_end or not asks:
            return None
        is_extreme = is_most or is_superlative(lower[place - 1], known)
        return _Replacement(place, place, f"{known.of_word} {owner}") if is_extreme else None

    def _than_that(self, phrase: DataPhrase) -> str | None:
        """As "bigger than that" after a question for one figure."""
        known, lower = self._known, self._lower
        texts = [word for word in lower if word[0].isalnum()]
        is_figure = not known.figures.isdisjoint(phrase.text.lower().split())
        is_compared = len(texts) > 1 and texts[-2] in {bound[-1] for bound in known.bounds}
        pointers = {known.that} | known.single_pointers & known.row_determiners
        is_fragment = starting_phrase(texts, known.openers) >= len(texts) - 2  # "and below that?"
        if is_fragment or not is_compared or texts[-1] not in pointers or not is_figure:
            return None
        place = max(n for n, word in enumerate(lower) if word == texts[-1])
        if self._has_no_pointers(lower[:place]):
            return self._replaced(place, place, phrase.text)
        return self._those_than(phrase, place)

    def _those_than(self, phrase: DataPhrase, place: int) -> str | None:
        """As "the names of those with a mast higher than this"."""
        known, lower = self._known, self._lower
        pointers = known.row_pointers | known.single_pointers
        places = [n for n in range(place) if lower[n] in pointers]
        is_one = len(places) == 1 and lower[places[0]] in known.row_determiners
        if not is_one or lower[places[0] + 1] not in known.restrictions:
            return None
        if phrase.owner == phrase.text:
            return None
        text = self._replaced(place, place, phrase.text)
        those = self._words[places[0]]
        return f"{text[: those.start]}{phrase.owner}{text[those.end :]}"

    def _denied(self, phrase: DataPhrase) -> str | None:
        """As "Which did not?" after "Which boats won a race?": those that did not win one."""
        known = self._known
        texts = [word for word in self._lower if word[0].isalnum()]
        length = starting_phrase(texts, known.which)
        denied = texts[length:]
        if len(denied) != _DENIED or not length:
            return None
        is_short = denied[1] == "t" and denied[0].endswith("n")  # "didn't"
        if not is_short and denied[1] != known.not_word:
            return None
        said = self._denied_predicate(denied[0].removesuffix("n" if is_short else ""), phrase)
        return f"{self._text(0, 1)} {phrase.counted} {said}?" if said else None

    def _denied_predicate(self, helping: str, phrase: DataPhrase) -> str:
        """What is said of the rows, denied: "did not win a race"; empty where that is unclear."""
        known = self._known
        verb, _, rest = phrase.predicate.partition(" ")
        lead = f"{helping} {known.not_word}"
        if not rest or helping not in known.helping_verbs:
            return f"{lead} {rest}" if rest and helping == verb.lower() else ""
        base = (
            known.past_verbs.pairs.get(verb.lower(), "") if helping == known.past_helping else verb
        )
        is_verb = (
            bool(base)
            and base not in (known.auxiliaries - {known.plural_verbs[0][-1]}) | known.helping_verbs
        )
        return f"{lead} {base} {rest}" if is_verb else ""

    def _extreme_of_rows(self, phrase: DataPhrase) -> str | None:
        """As "Who has the longest boat?" after "What is the boat of each skipper?"."""
        known, lower = self._known, self._lower
        head = phrase.text.lower().split(f" {known.of_word} ")[0].split(" ")[-1]
        owner = all_of(phrase.owner, known)
        has_each = phrase.owner.split(" ")[0].lower() in known.each
        is_extreme = any(two == head and is_superlative(one, known) for one, two in pairwise(lower))
        text = self._text(0, len(lower))
        whole = completed(text, phrase, known)  # "Who has the most?"
        is_asked = (has_each and is_extreme) or (whole != text and is_plural(phrase.owner, known))
        if lower[0] != known.who or owner is None or not is_asked:
            return None
        if not self._has_no_pointers(lower):
            return None
        return self._among(owner, whole)

    def _the_one(self, phrase: DataPhrase) -> str | None:
        """As "Show the one with the lowest price": of the boats that were asked for."""
        known, lower = self._known, self._lower
        first = int(lower[0] in known.adverbs)
        first += first and lower[1:2] == [","]
        length = starting_phrase(lower, known.data_requests, start=first)
        places = [n for n, word in enumerate(lower) if word in known.item_words]
        if not places and lower.count(known.that) == 1:  # "the price of that with four wheels"
            return self._that_with(phrase, lower.index(known.that))
        if not length or len(places) != 1 or places[0] + 1 >= len(lower):
            return None
        others = (*lower[: places[0]], *lower[places[0] + 1 :])
        follows = lower[places[0] + 1] in known.restrictions
        if lower[places[0] - 1] not in known.articles or not follows:
            return None
        if not self._has_no_pointers(others):
            return None
        owner = all_of(phrase.owner, known)
        return owner and self._among(owner, self._text(first))

    def _that_with(self, phrase: DataPhrase, place: int) -> str | None:
        known, lower = self._known, self._lower
        is_pointer = 0 < place < len(lower) - 1 and lower[place - 1] in known.prepositions
        is_only = self._has_no_pointers(lower) and not starting_phrase(lower, known.openers)
        if not is_pointer or not is_only or lower[place + 1] not in known.prepositions:
            return None
        owner = all_of(phrase.owner, known)
        return owner and self._among(owner, self._replaced(place, place, known.the_one))

    def _among(self, rows: str, question: str) -> str:
        """As "Of the boats in Hull, which are late?"."""
        return f"{self._known.among_word} {rows}, {question[:1].lower()}{question[1:]}"

    def _counting(self, phrase: DataPhrase) -> str | None:
        """As "How many are there?"."""
        texts = [word for word in self._lower if word[0].isalnum()]
        length = starting_phrase(texts, self._known.how_many)
        if not length or not self._known.count_rest.issuperset(texts[length:]):
            return None
        if self._known.about_nouns.issuperset(phrase.counted.lower().split(" ")):
            return None  # "data" has no number
        lead = " ".join(self._known.how_many[0])
        if phrase.counting:
            return f"{phrase.counting[:1].upper()}{phrase.counting[1:]}?"
        if phrase.predicate:
            return f"{lead} {phrase.counted} {phrase.predicate}?"
        return f"{lead} {phrase.counted} {' '.join(self._known.there_are[0])}?"
