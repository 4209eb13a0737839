"""A question that points to the rows of the last one, with these in the place of its pointer."""

from collections.abc import Callable, Sequence
from typing import Final

from recollect.domain.followup.data_questions.completing import completed
from recollect.domain.followup.data_questions.endings import is_participle, plural, singular
from recollect.domain.followup.data_questions.nouns import (
    DataPhrase,
    all_of,
    is_acronym,
    is_bound,
    is_plural,
    of_which_each,
    part_from,
)
from recollect.domain.followup.data_questions.special_pointers import SpecialPointers
from recollect.domain.followup.languages import PhraseList, starting_phrase

_APOSTROPHES: Final = ("'", "\u2019")
_LONGEST_RESTRICTED: Final = 12  # words
_LONGEST_LEAD: Final = 3  # words before "and sort them" that name nothing
_NEAR: Final = 3  # words


class Pointing(SpecialPointers):
    """A question, and where it points back."""

    def resolved(self, phrase: DataPhrase) -> str | None:
        """The question with a phrase in the place of its only pointer."""
        known, lower = self._known, self._lower
        ways = (self._counting, self._replacing, self._extreme_of_rows, self._denied)
        whole = self._first(ways, phrase)
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
        others = known.pointers - {known.that, known.there} - known.item_words - self._pointers
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
        belongs = not known.belonging_verbs.isdisjoint(lower[length : length + _NEAR])
        owner = all_of(phrase.text if belongs else self._several(phrase), known)
        said = (word.text for word in self._words if not is_acronym(word.text))
        is_personal = is_asking and not known.personal.isdisjoint(map(str.lower, said))
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
        return f"{lead} {owner}, {completed(rest, phrase, known)}"

    def _several(self, phrase: DataPhrase) -> str:
        """What has the properties, where one question may have meant several: "which boat has"."""
        noun, _, rest = phrase.predicate.partition(" ")
        is_one = bool(phrase.predicate) and not is_plural(phrase.counted, self._known)
        forms = self._known.plural_verbs.pairs
        if not is_one or noun.lower() not in forms or not phrase.counted[-1:].isalpha():
            return phrase.owner
        *before, head = phrase.counted.split(" ")
        nouns = " ".join((self._known.the, *before, plural(head)))
        return f"{nouns} {self._known.that} {forms[noun.lower()]} {rest}"

    def _with(self, phrase: DataPhrase, place: int) -> str | None:
        known, lower = self._known, self._lower
        word = lower[place]
        following = lower[place + 1] if place + 1 < len(lower) else ""
        is_expletive = word == known.it and place == 1 and known.that in lower[place:]
        is_expletive = is_expletive or (word == known.it and known.there in lower)
        is_own = lower[max(0, place - 2) : place][:1] == [known.and_word]
        is_own = is_own and place > _LONGEST_LEAD and lower[place - 1] in known.requests
        if is_expletive or is_own or is_bound(lower, place, known):
            return None  # "Is it true that …", "the courses they teach"
        if word in known.row_possessives:
            return self._owned(phrase, place)
        is_noun = bool(following) and not self._ends_at(place + 1)
        is_named = word in known.row_determiners and not is_participle(following, known)
        if is_noun and (is_named or word in known.noun_pointers):
            return self._with_noun(phrase, place)
        text = self._meant(phrase, place)
        is_person = word in known.single_pointers & known.bound_pointers - {known.it}
        is_figure = place > 0 and lower[place - 1] in {bound[-1] for bound in known.bounds}
        if text is None or is_figure or (is_person and is_plural(text, known)):
            return None  # "higher than this": a figure, and no rows
        is_list = word == known.it and known.and_word in text.lower().split(" ")
        if word in known.row_determiners:
            return self._with_restriction(phrase, place, text, following)
        has_value = "".join(lower[place + 2 : place + 3])[:1].isalnum()
        text = self._without_same(text, following) if has_value else text
        is_passive = is_participle(following, known) and lower[place - 1] in known.auxiliaries
        ends = is_passive or self._ends_at_or_none(place + 1)
        return self._replaced(place, place, text) if ends and not is_list else None

    def _meant(self, phrase: DataPhrase, place: int) -> str | None:
        """The rows, or what has the properties that were asked for."""
        known, lower, word = self._known, self._lower, self._lower[place]
        is_person = word in known.single_pointers & known.bound_pointers - known.row_possessives
        is_person = is_person and word != known.it
        is_subject = word in known.row_pointers & known.bound_pointers  # "they"
        is_entity = ((is_person or is_subject) and self._names_property(phrase)) or (
            place > 0 and lower[place - 1] in known.owner_prepositions | known.among
        )
        is_named = self._names_head(phrase, place)  # "the average age for those" after "the ages"
        is_rows = self._is_figure(place) and not is_named
        is_name = phrase.text.lower().rsplit(" ", 1)[-1] in known.identifiers  # "the boat names"
        is_entity = is_entity or (is_name and word in known.row_pointers)
        text = phrase.owner if is_entity and not is_rows else phrase.text
        if is_rows:
            text = self._without_figure(text)
        if is_person and phrase.subject:
            text = phrase.subject
        is_of_each = place > 1 and lower[place - 2] in known.each
        return self._each_of(phrase) if is_of_each else text

    def _without_figure(self, text: str) -> str:
        """Without the figure that another takes the place of: "the sum of the average length"."""
        first, figure, *rest = text.split(" ")
        is_figure = figure.lower() in self._known.figures if rest else False
        return " ".join((first, *rest)) if is_figure and first == self._known.the else text

    def _without_same(self, text: str, following: str) -> str:
        """Without what restricts it in the way that the question does: "it at", "the catch at"."""
        known, words = self._known, text.split(" ")
        places = [n for n, word in enumerate(words) if word.lower() == following]
        is_same = following in known.prepositions - known.owner_prepositions and len(places) == 1
        return " ".join(words[: places[0]]) if is_same and places[0] > 1 else text

    def _names_head(self, phrase: DataPhrase, place: int) -> bool:
        """Whether the question itself names the property that the phrase begins with."""
        words = phrase.text.lower().split()
        head = next((n for n, word in enumerate(words) if word in self._known.prepositions), 0) - 1
        before = self._lower[place - 2] if place > 1 else ""
        return head > 0 and singular(words[head]) == singular(before)

    def _with_restriction(
        self, phrase: DataPhrase, place: int, text: str, following: str
    ) -> str | None:
        """As "those with a motor": the rows, and what more is said of them."""
        known, lower = self._known, self._lower
        may_end = not following[:1].isalnum() and self._lower[place] not in known.single_pointers
        is_restriction = following in known.restrictions or is_participle(following, known)
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
        is_single = self._lower[place] in self._known.single_pointers | {self._known.that}
        if is_single and part == f"{self._known.the} {noun}":
            part = self._with_extreme(phrase, noun)
        if part is None:
            return None
        if starting_phrase(self._lower, self._known.how_many) == place:
            part = part.removeprefix(f"{self._known.the} ")
        return self._replaced(place, end - 1, part)

    def _with_extreme(self, phrase: DataPhrase, noun: str) -> str | None:
        """Of "the highest mast of any boat", for "this boat": the boat with the highest mast."""
        known, words = self._known, phrase.text.split(" ")
        lower = [word.lower() for word in words]
        place = next((n for n, word in enumerate(lower) if word in known.prepositions), 0)
        is_extreme = not (known.extremes - known.averages).isdisjoint(lower[:place])
        is_rest = [word for word in lower[place + 1 :] if word not in known.quantifiers]
        if not is_extreme or list(map(singular, is_rest)) != [singular(noun.lower())]:
            return None
        return f"{known.the} {noun} {known.with_word} {' '.join(words[:place])}"

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
        return text and of_which_each(text, self._known)
