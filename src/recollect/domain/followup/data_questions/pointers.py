"""Pointers to the rows that the last question asked for: "Show their names"."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.data_questions.phrases import DataPhrase, data_phrase, part_from
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords, PhraseList, starting_phrase
from recollect.domain.language import content_words

_SENTENCE_END: Final = re.compile(r"[.!?…]\s+\S")
_PARTICIPLES: Final = ("ed", "ing")
_NEED: Final = 0.95
_CONFIDENCE: Final = 0.8
_LONGEST: Final = 30  # words of a question
_LONGEST_TEXT: Final = 400  # characters of the last one
_NEW_WORDS: Final = 2  # content words of a reply that names nothing
_REPLY_CHARACTERS: Final = 400


def data_pointer_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> Proposal | None:
    """The question with the rows that it points to; None where it is not certain which.

    The last question must be one to data, and complete.
    """
    asked = next((n for n in range(len(history) - 1, -1, -1) if history[n].role is Role.USER), None)
    if asked is None or not known.data_requests[0] or len(history[asked].content) > _LONGEST_TEXT:
        return None
    last, replies = history[asked].content.strip(), history[asked + 1 :]
    words, earlier = words_of(question), [word.text.lower() for word in words_of(last)]
    has_sql = any(reply.sql_query for reply in replies)
    is_data = has_sql or starting_phrase(earlier, known.data_questions) > 0
    is_short = len(words) <= _LONGEST and not _SENTENCE_END.search(question)
    if not is_data or not is_short or not _is_complete(earlier, known):
        return None
    phrase = data_phrase(last, known)
    if phrase is None:
        return None
    may_be_single = not any(_names_something(reply, last, language) for reply in replies)
    if not has_sql and not may_be_single:
        return None
    pointing = _Pointing(question, words, known, may_be_single=may_be_single)
    standalone = pointing.resolved(phrase)
    if standalone is None or standalone == question:
        return None
    return Proposal(
        standalone_question=standalone[:1].upper() + standalone[1:],
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'what it points to is "{phrase.text}"',),
        topic=phrase.text,
    )


def _is_complete(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether a question points to nothing but its own words."""
    for place, word in enumerate(words):
        is_bound = word in known.bound_pointers and _has_content(words[:place], known)
        if word in known.row_pointers | known.single_pointers and not is_bound:
            return False
    of_that = any(one in known.prepositions and two == known.that for one, two in pairwise(words))
    return not of_that and known.instead_word not in words


def _has_content(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether a pointer after these words may mean one of them."""
    plain = known.small_words | known.requests | known.figures
    return any(word[0].isalnum() and word not in plain for word in words)


def _names_something(reply: HistoryMessage, question: str, language: str) -> bool:
    """Whether a reply has words of its own, which a pointer may mean."""
    if len(reply.content) > _REPLY_CHARACTERS:
        return True
    new = set(map(str.lower, content_words(reply.content, language)))
    return len(new - set(map(str.lower, content_words(question, language)))) > _NEW_WORDS


def _of_which_each(text: str, known: LanguageWords) -> str:
    """As what "each of" is followed by: "the singers", not "all singers"."""
    words = text.split()
    while len(words) > 1 and words[0].lower() in known.quantifiers:
        words = words[1:]
    return f"{known.the} {' '.join(words)}"


class _Pointing:
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
        counted = self._counting(phrase)
        if counted is not None:
            return counted
        opener = starting_phrase(self._lower, self._known.openers)
        if opener and self._lower[opener : opener + 1] and phrase.is_restricted:
            is_bare = self._lower[opener] in self._pointers - self._known.row_possessives
            if is_bare:
                return None  # "what about those from France" may replace what restricts the others
        places = [n for n, word in enumerate(self._lower) if word in self._pointers]
        others = self._known.pointers - {"that", "there", "one", "ones"} - self._pointers
        if not others.isdisjoint(self._lower):
            return None
        length, is_asking = self._beginning()
        if length:
            return self._subset(phrase, length, is_asking=is_asking)
        starts = self._lower[:1] == [one[0] for one in self._known.sort[:1]]
        return self._with(phrase, places[0]) if len(places) == 1 and not starts else None

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
        if phrase.owner.split()[0].lower() in known.each:
            return None
        rest = self._text(length + (lower[length] == ","))
        is_bare = is_asking and length == starting_phrase(lower, known.bare_questions)
        if is_bare and lower[length] == phrase.predicate.split(" ")[0].lower():
            return f"{self._text(0, length)} {phrase.counted} {rest}{self._question_mark}"
        owner = phrase.owner
        if phrase.whole and lower[length] == phrase.verb:
            owner = phrase.whole  # "which have none?", "which ones have some?": not among these
        if is_asking:
            wh_words = PhraseList((*known.wh_words, *known.which[:2]))
            wh = self._text(0, starting_phrase(lower, wh_words))
            rest = f"{wh[:1].lower()}{wh[1:]} {rest}"
        return f"{known.among_word} {owner}, {rest}"

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
        if word in known.bound_pointers and _has_content(self._lower[:place], known):
            return None  # "the courses they teach"
        if word in known.row_possessives:
            return self._owned(phrase, place)
        is_noun = bool(following) and not self._ends_at(place + 1)
        if word in known.row_determiners and is_noun and not following.endswith(_PARTICIPLES):
            return self._with_noun(phrase, place)
        is_person = word in known.single_pointers & known.bound_pointers - known.row_possessives
        is_entity = (is_person and word != known.it) or (
            place > 0 and lower[place - 1] in known.owner_prepositions | known.among
        )
        text = phrase.owner if is_entity and not self._is_figure(place) else phrase.text
        if place > 1 and lower[place - 2] in known.each:
            text = _of_which_each(text, known)
        if word in known.row_determiners:
            may_end = not following[:1].isalnum() and word not in known.single_pointers
            is_restriction = following in known.restrictions or following.endswith(_PARTICIPLES)
            is_new = is_restriction and following not in text.lower().split()
            can_stand = (may_end and place > 0) or (is_new and known.additions.isdisjoint(lower))
            return self._replaced(place, place, text) if can_stand else None
        return self._replaced(place, place, text) if self._ends_at_or_none(place + 1) else None

    def _ends_at_or_none(self, place: int) -> bool:
        return place >= len(self._lower) or self._ends_at(place)

    def _is_figure(self, place: int) -> bool:
        """Whether a figure is asked of the rows themselves: "the average of them"."""
        return not self._known.figures.isdisjoint(self._lower[:place])

    def _with_noun(self, phrase: DataPhrase, place: int) -> str | None:
        """As "those countries": the phrase from that noun on."""
        end = place + 1
        while end < len(self._lower) and not self._ends_at(end):
            end += 1
        noun = self._words[end - 1].text
        is_general = noun.lower() in self._known.row_nouns
        part = phrase.text if is_general else part_from(phrase.text, noun, self._known)
        return None if part is None else self._replaced(place, end - 1, part)

    def _owned(self, phrase: DataPhrase, place: int) -> str | None:
        """As "their names": the names of the singers from France."""
        stops = self._known.small_words - {self._known.and_word, self._known.of_word}
        end = place + 1
        while end < len(self._lower) and self._lower[end] not in stops | {"?", ".", "!"}:
            end += 1
        if end == place + 1 or self._lower[end - 1] in {",", self._known.and_word}:
            return None
        named = self._text(place + 1, end)
        return self._replaced(
            place, end - 1, f"{self._known.the} {named} {self._known.of_word} {phrase.owner}"
        )

    def _replaced(self, first: int, last: int, text: str) -> str:
        question, words = self._question, self._words
        return question[: words[first].start] + text + question[words[last].end :]

    def _text(self, first: int, end: int | None = None) -> str:
        words = self._words[first:end]
        return self._question[words[0].start : words[-1].end] if words else ""
