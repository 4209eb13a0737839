"""A question that points to the rows of the last one, with these in the place of its pointer."""

from collections.abc import Callable, Sequence
from typing import Final

from recollect.domain.followup.data_questions.nouns import (
    DataPhrase,
    all_of,
    is_bound,
    is_plural,
    part_from,
    singular,
)
from recollect.domain.followup.edits import Word
from recollect.domain.followup.languages import LanguageWords, PhraseList, starting_phrase

_APOSTROPHES: Final = ("'", "\u2019")
_LONGEST_RESTRICTED: Final = 12  # words
_PARTICIPLES: Final = ("ed", "ing")


class Pointing:
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

    def resolved(self, phrase: DataPhrase) -> str | None:
        """The question with a phrase in the place of its only pointer."""
        known, lower = self._known, self._lower
        whole = self._first((self._counting, self._of_a_noun, self._above, self._of_each), phrase)
        if whole is not None:
            return whole
        opener = starting_phrase(lower, known.openers)
        is_bare = "".join(lower[opener : opener + 1]) in self._pointers - known.row_possessives
        if opener and is_bare and phrase.is_restricted:
            return None  # "what about those from France" may replace what restricts the others
        compared = self._first((self._adding, self._than_that, self._the_one), phrase)
        if compared is not None:
            return compared
        places = [n for n, word in enumerate(lower) if word in self._pointers]
        places += self._determiners(phrase)
        others = known.pointers - {"that", "there", "one", "ones"} - self._pointers
        if not others.isdisjoint(word for n, word in enumerate(lower) if n not in places):
            return None
        length, is_asking = self._beginning()
        if length:
            return self._subset(phrase, length, is_asking=is_asking)
        starts = lower[:1] == [one[0] for one in known.sort[:1]]
        return self._with(phrase, places[0]) if len(places) == 1 and not starts else None

    @staticmethod
    def _first(
        ways: Sequence[Callable[[DataPhrase], str | None]], phrase: DataPhrase
    ) -> str | None:
        return next((text for way in ways if (text := way(phrase)) is not None), None)

    def _determiners(self, phrase: DataPhrase) -> list[int]:
        """Where "that" or "such" stands before a noun of the phrase: "that harbour"."""
        known, lower = self._known, self._lower
        return [
            n
            for n in range(1, len(lower) - 1)
            if lower[n] in known.noun_pointers
            and (lower[n - 1] in known.prepositions or lower[n] != known.that)
            and not self._ends_at(n + 1)
            and "".join(lower[n + 2 : n + 3]) not in _APOSTROPHES
            and (lower[n + 1] in known.row_nouns or part_from(phrase.text, lower[n + 1], known))
        ]

    def _adding(self, phrase: DataPhrase) -> str | None:
        """As "Which boats are also for rent?" after "Which boats are for sale?"."""
        known, lower = self._known, self._lower
        length = starting_phrase(lower, known.wh_words)
        if not length or not phrase.is_restricted or known.also_word not in lower[length:]:
            return None
        if lower[length] == known.also_word:
            return f"{known.among_word} {phrase.owner}, {self._text(0, 1).lower()} {self._text(1)}"
        noun = phrase.counted.lower().split()
        if not phrase.predicate or lower[length : length + len(noun)] != noun:
            return None
        rest = self._text(length + len(noun))
        return f"{self._text(0, length)} {phrase.counted} {known.that} {phrase.predicate} {rest}"

    def _of_a_noun(self, phrase: DataPhrase) -> str | None:
        """As "this film's budget": the budget of the film that won the most awards."""
        known, lower = self._known, self._lower
        pointers = known.noun_pointers | known.row_determiners
        place = next((n for n, word in enumerate(lower[:-4]) if word in pointers), None)
        if place is None or lower[place + 2] not in _APOSTROPHES:
            return None
        first = place + 3 + (lower[place + 3] == "s")
        end = self._end_of_names(first)
        part = part_from(phrase.text, self._words[place + 1].text, known)
        is_only = self._has_no_pointers((*lower[:place], *lower[end:]))
        if part is None or end == first or not is_only:
            return None
        owned = f"{known.the} {self._text(first, end)} {known.of_word} {part}"
        return self._replaced(place, end - 1, owned)

    def _above(self, phrase: DataPhrase) -> str | None:
        """As "from the above results"."""
        known, lower = self._known, self._lower
        places = [n for n in range(1, len(lower) - 1) if lower[n] in known.above_words]
        if len(places) != 1 or lower[places[0] + 1] not in known.row_nouns:
            return None
        place = places[0]
        first = place - (lower[place - 1] in known.articles)
        is_only = self._has_no_pointers((*lower[:first], *lower[place + 2 :]))
        return self._replaced(first, place + 1, phrase.text) if is_only else None

    def _of_each(self, phrase: DataPhrase) -> str | None:
        """As "the price of each boat" after "Which boats are in Hull?"."""
        known, lower = self._known, self._lower
        places = [n for n in range(1, len(lower) - 1) if lower[n] in known.each]
        if len(places) != 1 or not phrase.is_restricted or not self._has_no_pointers(lower):
            return None
        place = places[0]
        rest = [word for word in lower[place + 2 :] if word[0].isalnum()]
        nouns = {singular(word) for word in phrase.counted.lower().split()[:1]}
        is_same = lower[place - 1] in known.prepositions and singular(lower[place + 1]) in nouns
        if not is_same or rest:
            return None
        text = (
            f"{self._text(place, place + 1)} {known.of_word} {_of_which_each(phrase.owner, known)}"
        )
        return self._replaced(place, place + 1, text)

    def _than_that(self, phrase: DataPhrase) -> str | None:
        """As "bigger than that" after a question for one figure."""
        known, lower = self._known, self._lower
        texts = [word for word in lower if word[0].isalnum()]
        is_figure = not known.figures.isdisjoint(phrase.text.lower().split())
        is_compared = len(texts) > 1 and texts[-2] in {bound[-1] for bound in known.bounds}
        pointers = {known.that} | known.single_pointers & known.row_determiners
        if not is_compared or texts[-1] not in pointers or not is_figure:
            return None
        place = max(n for n, word in enumerate(lower) if word == texts[-1])
        is_alone = self._has_no_pointers(lower[:place])
        return self._replaced(place, place, phrase.text) if is_alone else None

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
        start, owner = self._text(first), all_of(phrase.owner, known)
        return owner and f"{known.among_word} {owner}, {start[:1].lower()}{start[1:]}"

    def _that_with(self, phrase: DataPhrase, place: int) -> str | None:
        known, lower = self._known, self._lower
        is_pointer = 0 < place < len(lower) - 1 and lower[place - 1] in known.prepositions
        is_only = self._has_no_pointers(lower) and not starting_phrase(lower, known.openers)
        if not is_pointer or not is_only or lower[place + 1] not in known.prepositions:
            return None
        text, owner = self._replaced(place, place, known.the_one), all_of(phrase.owner, known)
        return owner and f"{known.among_word} {owner}, {text[:1].lower()}{text[1:]}"

    def _has_no_pointers(self, words: Sequence[str]) -> bool:
        known = self._known
        return (known.row_pointers | known.single_pointers).isdisjoint(words)

    def _counting(self, phrase: DataPhrase) -> str | None:
        """As "How many are there?"."""
        texts = [word for word in self._lower if word[0].isalnum()]
        length = starting_phrase(texts, self._known.how_many)
        if not length or not self._known.count_rest.issuperset(texts[length:]):
            return None
        lead = " ".join(self._known.how_many[0])
        if phrase.predicate:
            return f"{lead} {phrase.counted} {phrase.predicate}?"
        return f"{lead} {phrase.counted} {' '.join(self._known.there_are[0])}?"

    def _beginning(self) -> tuple[int, bool]:
        """How many words the question's "which of them" or "of those" has, and whether it asks."""
        for phrases, is_asking in (
            (self._known.which_of_them, True),
            (self._known.among_them, False),
        ):
            length = starting_phrase(self._lower, phrases)
            if length and length + 1 < len(self._lower) and self._ends_at(length):
                return length, is_asking
        return self._bare_question(), True

    def _bare_question(self) -> int:
        """How many words "how many" has where no noun follows: "How many are late?"."""
        known, lower = self._known, self._lower
        length = starting_phrase(lower, known.bare_questions)
        verbs = known.auxiliaries | known.data_verbs
        is_bare = 0 < length < len(lower) - 1 and lower[length] in verbs
        return length if is_bare and known.there_are[0][-1] not in lower else 0

    def _subset(self, phrase: DataPhrase, length: int, *, is_asking: bool) -> str | None:
        """As "Of the flights of today, which are late?"."""
        known, lower = self._known, self._lower
        owner = all_of(phrase.owner, known)
        is_personal = is_asking and not known.personal.isdisjoint(lower)
        if owner is None or is_personal:
            return None  # "which one do you prefer?"
        rest = self._text(length + (lower[length] == ","))
        is_bare = is_asking and length == starting_phrase(lower, known.bare_questions)
        is_one = not known.item_words.isdisjoint(lower[:length])
        is_bare &= not (is_one and is_plural(phrase.counted, known))  # "which one is"
        if is_bare and lower[length] == phrase.predicate.split(" ")[0].lower():
            return f"{self._text(0, length)} {phrase.counted} {rest}{self._question_mark}"
        if phrase.whole and lower[length] == phrase.verb:
            owner = phrase.whole  # "which have none?", "which ones have some?": not among these
        if is_asking:
            wh_words = PhraseList((*known.wh_words, *known.which[:2]))
            wh = self._text(0, starting_phrase(lower, wh_words))
            rest = f"{wh[:1].lower()}{wh[1:]} {rest}"
        is_other = not is_asking and lower[0] not in known.among and length > 1
        lead = self._text(0, length - 1) if is_other else known.among_word
        if not known.each.isdisjoint(lead.lower().split()):
            owner = self._each_of(phrase)
            if owner is None:
                return None
            if not is_plural(owner, known):  # "for each template id of the documents"
                lead = lead.removesuffix(f" {known.of_word}")
                owner = owner.removeprefix(f"{known.the} ")
        return f"{lead} {owner}, {rest}"

    @property
    def _question_mark(self) -> str:
        return "" if self._lower[-1] == "?" else "?"

    def _ends_at(self, place: int) -> bool:
        """Whether no noun follows: "which of them are", not "which of these countries"."""
        word = self._lower[place]
        known = self._known
        return not word[0].isalnum() or word in known.small_words | known.data_verbs

    def _with(self, phrase: DataPhrase, place: int) -> str | None:
        known, lower = self._known, self._lower
        word = lower[place]
        following = lower[place + 1] if place + 1 < len(lower) else ""
        is_expletive = word == known.it and place == 1 and known.that in lower[place:]
        if is_expletive or is_bound(lower, place, known):
            return None  # "Is it true that …", "the courses they teach"
        if word in known.row_possessives:
            return self._owned(phrase, place)
        is_noun = bool(following) and not self._ends_at(place + 1)
        is_named = word in known.row_determiners and not following.endswith(_PARTICIPLES)
        if is_noun and (is_named or word in known.noun_pointers):
            return self._with_noun(phrase, place)
        text = self._meant(phrase, place)
        is_person = word in known.single_pointers & known.bound_pointers - {known.it}
        is_figure = place > 0 and lower[place - 1] in {bound[-1] for bound in known.bounds}
        if text is None or is_figure or (is_person and is_plural(text, known)):
            return None  # "higher than this": a figure, and no rows
        if word in known.row_determiners:
            return self._with_restriction(phrase, place, text, following)
        is_participle = following.endswith(_PARTICIPLES) and lower[place - 1] in known.auxiliaries
        ends = is_participle or self._ends_at_or_none(place + 1)
        return self._replaced(place, place, text) if ends else None

    def _meant(self, phrase: DataPhrase, place: int) -> str | None:
        """The rows, or what has the properties that were asked for."""
        known, lower, word = self._known, self._lower, self._lower[place]
        is_person = word in known.single_pointers & known.bound_pointers - known.row_possessives
        is_person = is_person and word != known.it
        is_subject = word in known.row_pointers & known.bound_pointers  # "they"
        is_entity = ((is_person or is_subject) and self._names_property(phrase)) or (
            place > 0 and lower[place - 1] in known.owner_prepositions | known.among
        )
        text = phrase.owner if is_entity and not self._is_figure(place) else phrase.text
        if is_person and phrase.subject:
            text = phrase.subject
        is_of_each = place > 1 and lower[place - 2] in known.each
        return self._each_of(phrase) if is_of_each else text

    def _with_restriction(
        self, phrase: DataPhrase, place: int, text: str, following: str
    ) -> str | None:
        """As "those with a motor": the rows, and what more is said of them."""
        known, lower = self._known, self._lower
        may_end = not following[:1].isalnum() and self._lower[place] not in known.single_pointers
        is_restriction = following in known.restrictions or following.endswith(_PARTICIPLES)
        said = text.lower().split()
        is_new = is_restriction and following not in said
        is_second = following in known.relatives and said.count(following) == 1
        if is_restriction and not is_new and is_second:
            if following == known.who and phrase.subject:
                text = phrase.subject
            said = text.lower().split()
            is_short = len(said) <= _LONGEST_RESTRICTED
            is_new = is_short and "".join(lower[place + 2 : place + 3]) not in said
            text = f"{text} {known.and_word}" if following in said else text
        can_stand = (may_end and place > 0) or (is_new and known.additions.isdisjoint(lower))
        if not can_stand:
            return None
        replaced = self._replaced(place, place, text)
        if place == 1 and lower[0] in known.only_words:  # "just those with"
            return f"{' '.join(known.data_requests[0])} {replaced[self._words[1].start :]}"
        return replaced

    def _ends_at_or_none(self, place: int) -> bool:
        return place >= len(self._lower) or self._ends_at(place)

    def _names_property(self, phrase: DataPhrase) -> bool:
        """Whether a phrase is about what things have, not about these: "the names of the …"."""
        known = self._known
        words = phrase.text.lower().split()
        place = next((n for n, word in enumerate(words) if word in known.prepositions), 0)
        is_figure = not known.figures.isdisjoint(words[:place])
        return is_figure or (place > 0 and words[place - 1] in known.properties)

    def _is_figure(self, place: int) -> bool:
        """Whether a figure is asked of the rows themselves: "the average of them"."""
        return not self._known.figures.isdisjoint(self._lower[:place])

    def _with_noun(self, phrase: DataPhrase, place: int) -> str | None:
        """As "those countries": the phrase from that noun on."""
        end = place + 1
        while end < len(self._lower) and not self._ends_at(end):
            end += 1
        noun = self._words[end - 1].text
        following = self._lower[end] if end < len(self._lower) else ""
        is_counted = place > 0 and self._lower[place - 1] in self._known.number_words
        if following in {*_APOSTROPHES, self._known.of_word} or is_counted:
            return None  # "these boats' names", "that number of masts"
        is_general = noun.lower() in self._known.row_nouns
        is_owner = self._lower[place - 1] in self._known.owner_prepositions
        rows = phrase.owner if is_owner else phrase.text  # "the highest price of this group"
        named = part_from(phrase.subject, noun, self._known) if phrase.subject else None
        part = rows if is_general else named or part_from(phrase.text, noun, self._known)
        if part is None:
            return None
        if starting_phrase(self._lower, self._known.how_many) == place:
            part = part.removeprefix(f"{self._known.the} ")
        return self._replaced(place, end - 1, part)

    def _owned(self, phrase: DataPhrase, place: int) -> str | None:
        """As "their names": the names of the singers from France."""
        end = self._end_of_names(place + 1)
        if end == place + 1 or self._lower[end - 1] in {",", self._known.and_word}:
            return None
        known, named = self._known, self._text(place + 1, end)
        head, _, rest = phrase.owner.partition(f" {known.of_word} ")
        is_repeated = bool(rest) and head.removeprefix(f"{known.the} ") in named
        owner = rest if is_repeated else phrase.owner  # "their masts" and "their masts and sails"
        if self._head_of(owner) in self._heads_of(named):
            return None  # "singers and their songs" after "the songs": of the singers
        return self._replaced(place, end - 1, f"{known.the} {named} {known.of_word} {owner}")

    def _each_of(self, phrase: DataPhrase) -> str | None:
        """What "each of them" means: not what the question itself counts.

        "For each of them, count the boats" after "the owners of the boats" means the owners.
        """
        said = {singular(word) for word in self._lower}
        texts = (text for text in (phrase.owner, phrase.text) if self._head_of(text) not in said)
        text = next(texts, None)
        return text and _of_which_each(text, self._known)

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


def _of_which_each(text: str, known: LanguageWords) -> str:
    """As what "each of" is followed by: "the singers", not "all singers"."""
    words = text.split()
    while len(words) > 1 and words[0].lower() in known.quantifiers:
        words = words[1:]
    return f"{known.the} {' '.join(words)}"
