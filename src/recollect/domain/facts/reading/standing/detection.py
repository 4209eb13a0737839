"""Telling which sentences of a user's message are standing instructions to the assistant.

A sentence counts only if it begins as an instruction does and says that it is to last: "from now
on", or "always" and "never" beside what answers are made of. What is not sure is none: a wrong
instruction would be followed in every conversation.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from recollect.domain.facts.reading.standing.languages import StandingWords, standing_words
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import (
    LANGUAGES,
    Phrase,
    Phrases,
    spelled_words_in,
    words_in,
)
from recollect.domain.speech.spoken import Part, own_parts, spoken_sentences

MAX_INSTRUCTION: Final = 300
"""The most characters of an instruction; longer sentences are seldom one."""
_QUOTED: Final = re.compile(r"\"[^\"]*+(?:\"|\Z)|[“„«\u2018`][^”“»\u2019`]*+(?:[”“»\u2019`]|\Z)")
_MAX_WORDS: Final = 60
_BETWEEN: Final = 2
"""The most words between a verb and its "always"."""
_FRAGMENT: Final = 12
"""The most words of an instruction without a verb: "from now on short answers please"."""
_MAX_NAME_WORDS: Final = 3
_MARKS: Final = (",", ":")


def standing_instructions_in(text: str) -> tuple[str, ...]:
    """The sentences of a user's message that are standing instructions, as they stand in it."""
    found = (one for part in own_parts(text) for one in _instructions_of(part))
    return tuple(dict.fromkeys(found))


def slot_of(instruction: str) -> Slot:
    """What a standing instruction is about: the language of answers if it says nothing else."""
    words = tuple(word for word in words_in(instruction) if word not in _MARKS)
    names_language = any(_names_language(words, standing_words(code)) for code in LANGUAGES)
    return Slot.ANSWER_LANGUAGE if names_language else Slot.ANSWER_STYLE


def standing_slot(text: str) -> Slot | None:
    """The slot of a text that is one standing instruction and nothing else; None if it is not."""
    return slot_of(text) if standing_instructions_in(text) == (text.strip(),) else None


def _names_language(words: Phrase, known: StandingWords) -> bool:
    name = _without(words, known.language_frames)
    return bool(name) and known.language_names.length_at(name) == len(name)


def _instructions_of(part: Part) -> Iterator[str]:
    sentences = [_Sentence.read(one.text) for one in spoken_sentences(part)]
    for sentence in sentences:
        if any(_is_instruction(sentence, sentences, code) for code in LANGUAGES):
            yield sentence.text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    text: str
    words: Phrase
    """All but quoted ones, without accents and in small letters; none if it is too long."""
    spelled: Phrase
    """The same words as they are written."""
    is_question: bool

    @classmethod
    def read(cls, text: str) -> "_Sentence":
        read = _QUOTED.sub(" ", text) if len(text) <= MAX_INSTRUCTION else ""
        return cls(
            text=text,
            words=words_in(read),
            spelled=spelled_words_in(read),
            is_question=text.rstrip("\"')”» ").endswith("?"),
        )


def _is_instruction(sentence: _Sentence, message: Sequence[_Sentence], code: str) -> bool:
    known, words = standing_words(code), sentence.words
    if len(words) > _MAX_WORDS or not known.markers.are_in(words):
        return False
    if any(none.are_in(words) for none in (known.one_off, known.pointers, known.reported)):
        return False
    reading = _Reading(sentence=sentence, known=known)
    return reading.is_instruction and not _is_cited(sentence, message, known)


def _is_cited(sentence: _Sentence, message: Sequence[_Sentence], known: StandingWords) -> bool:
    """Whether a sentence may be a text to work on or somebody else's words, or is taken back."""
    at = message.index(sentence)
    before, after = message[:at], message[at + 1 :]
    if any(known.text_tasks.are_in(one.words) for one in before):
        return True
    if any(known.sources.are_in(one.words) for one in before):
        return True
    if any(known.retractions.length_at(_without_commas(one.words)) for one in after[:1]):
        return True
    lasts = known.lasting.are_in(sentence.words)
    return not lasts and any(known.text_tasks.are_in(one.words) for one in after)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A sentence, read with the words of one language."""

    sentence: _Sentence
    known: StandingWords

    @property
    def is_instruction(self) -> bool:
        """Whether it tells the assistant what to do, or what answers are to be, for good.

        The instruction may be the conclusion of another clause: "I am blind, so never use tables".
        """
        known, words = self.known, self.sentence.words
        starts = [
            at + known.conclusions.length_at(words, at)
            for at in known.conclusions.places_in(words)
            if not known.sources.are_in(words[:at])
        ]
        return any(self._instructs_from(start) for start in (0, *starts))

    def _instructs_from(self, start: int) -> bool:
        known, words = self.known, self.sentence.words
        first, start = start, _after(words, start, known.openers, known.lasting)
        condition = known.when_i_ask.length_at(words, start)
        begins_lasting = known.lasting.are_in(words[first:start])
        if condition:
            first = _after_comma(words, start + condition)
            start = _after(words, first, known.openers, known.lasting)
            begins_lasting = begins_lasting or known.lasting.are_in(words[first:start])
        clause = _up_to_colon(words[start:])
        lasts = begins_lasting or known.lasting.are_in(clause)
        if lasts and not begins_lasting and self._names_period(clause):
            return False
        if self.sentence.is_question and not self._ends_with_tag:
            return self._asks_politely(clause, lasts=lasts)
        if self._names_the_user(start):
            return True
        if begins_lasting:
            clause = clause[known.assistant.length_at(clause) :]
            return self._commands(clause) or self._is_fragment(clause)
        if lasts or condition:
            return self._commands(clause)
        has_subject = self._is_about_answers(words)
        return has_subject and (self._commands_always(clause) or self._is_polite_fragment(clause))

    def _is_about_answers(self, words: Phrase) -> bool:
        return self.known.about_answers.are_in(words) or self.known.to_me.are_in(words)

    def _names_period(self, clause: Phrase) -> bool:
        """Whether "from now on" is the period of the data asked for: "show orders from now on"."""
        known = self.known
        moment = next(known.from_a_moment.places_in(clause), 0)
        verb = next(known.retrieving.places_in(clause), len(clause))
        if known.from_now_on.are_in(clause) or moment < verb:
            return False
        length = max(known.retrieving.length_at(clause, verb), known.to_me.length_at(clause, verb))
        data = clause[_after(clause, verb + length, known.please) : moment]
        return bool(data) and not known.about_answers.are_in(data)

    @property
    def _ends_with_tag(self) -> bool:
        words = self.sentence.words
        return words[-2:-1] == (",",) and self.known.tags.length_at(words, len(words) - 1) > 0

    def _names_the_user(self, start: int) -> bool:
        """Whether it says how to call the user and nothing else: "call me Sam, please"."""
        known, (words, spelled) = self.known, (self.sentence.words, self.sentence.spelled)
        length = known.call_me.length_at(words, start)
        first = start + length
        if not length or len(spelled) != len(words) or known.not_names.length_at(words, first):
            return False
        names = takewhile(str.istitle, spelled[first : first + _MAX_NAME_WORDS])
        end = first + len(tuple(names))
        return end > first and _after(words, end, known.openers, known.lasting) == len(words)

    def _commands(self, clause: Phrase) -> bool:
        """Whether a clause tells the assistant to do something."""
        known = self.known
        start = _after(clause, 0, known.always, known.negations, known.openers)
        if length := known.verbs.length_at(clause, start):
            return not known.inverted_subjects.length_at(clause, start + length)
        if length := known.obligations.length_at(clause) or known.allowances.length_at(clause):
            return self._has_verb(clause[length:])
        return self._tells_duty(clause) or self._wishes(clause)

    def _commands_always(self, clause: Phrase) -> bool:
        """Whether a clause tells the assistant to do something always, or never."""
        known = self.known
        start = _after(clause, 0, known.always, known.negations, known.openers)
        end = start + known.verbs.length_at(clause, start)
        if end > start and not known.inverted_subjects.length_at(clause, end):
            may_follow = known.verbs_before_always.length_at(clause, start) > 0
            is_near = may_follow and self._says_always(clause[end:])
            is_first = known.always.are_in(clause[:start])
            return is_first or is_near or self._adds_always(clause[end:])
        if not known.always.are_in(clause):
            return False
        return self._tells_duty(clause) or self._is_obliged(clause) or self._wishes(clause)

    def _says_always(self, after_verb: Phrase) -> bool:
        """Whether "always" stands near the verb, and is not said of something else."""
        known = self.known
        place = next(known.always.places_in(after_verb), len(after_verb))
        is_near = place <= min(_BETWEEN, len(after_verb) - 1)
        return is_near and not known.relatives.are_in(after_verb[:place])

    def _adds_always(self, after_verb: Phrase) -> bool:
        """Whether it ends with "always", after a comma."""
        comma = after_verb.index(",") if "," in after_verb else len(after_verb)
        added = after_verb[comma + 1 :]
        return len(added) > 0 and self.known.always.length_at(added) == len(added)

    def _tells_duty(self, clause: Phrase) -> bool:
        length = self.known.duties.length_at(clause)
        return length > 0 and self._has_verb(clause[length:])

    def _is_obliged(self, clause: Phrase) -> bool:
        """Whether it tells the assistant, and not anybody, what must be done."""
        known, length = self.known, self.known.obligations.length_at(clause)
        rest = clause[length:]
        is_told = known.answering.are_in(rest) or known.to_me.are_in(rest)
        return length > 0 and is_told and self._has_verb(rest)

    def _has_verb(self, words: Phrase) -> bool:
        return self.known.verbs.are_in(words) or self.known.infinitives.are_in(words)

    def _wishes(self, clause: Phrase) -> bool:
        """Whether it wishes for answers of a kind, and not that somebody does something."""
        known, length = self.known, self.known.wishes.length_at(clause)
        wished = clause[length:]
        return length > 0 and known.about_answers.are_in(wished) and not known.verbs.are_in(wished)

    def _is_fragment(self, clause: Phrase) -> bool:
        """Whether a clause without a verb tells what answers are to be like."""
        known = self.known
        if len(clause) > _FRAGMENT or known.statement_words.are_in(_without(clause, known.please)):
            return False
        begins_so = known.fragment_openings.length_at(clause) or (
            known.about_answers.length_at(clause) and not known.infinitives.length_at(clause)
        )
        is_wish = begins_so or known.please.are_in(self.sentence.words)
        return bool(is_wish) and self._is_about_answers(clause)

    def _is_polite_fragment(self, clause: Phrase) -> bool:
        """Whether it is like "please always in Dutch"."""
        known = self.known
        is_wish = known.always.length_at(clause) > 0 and known.please.are_in(self.sentence.words)
        return is_wish and self._is_fragment(clause)

    def _asks_politely(self, clause: Phrase, *, lasts: bool) -> bool:
        known, words = self.known, self.sentence.words
        length = known.polite_questions.length_at(clause)
        if not length or not self._has_verb(clause[length:]):
            return False
        is_polite = known.please.are_in(words) and known.always.are_in(clause)
        return (lasts or is_polite) and self._is_about_answers(words)


def _after(words: Phrase, place: int, *skipped: Phrases) -> int:
    """The place after any number of these phrases, and of punctuation marks."""
    while place < len(words):
        length = max(one.length_at(words, place) for one in skipped)
        if not length and words[place] not in _MARKS:
            break
        place += length or 1
    return place


def _after_comma(words: Phrase, place: int) -> int:
    """The place after the next comma; the end where there is none."""
    return words.index(",", place) + 1 if "," in words[place:] else len(words)


def _up_to_colon(words: Phrase) -> Phrase:
    """The words before a colon: what follows one is often somebody else's."""
    return words[: words.index(":")] if ":" in words else words


def _without(words: Phrase, phrases: Phrases) -> Phrase:
    """The words that are in none of the phrases."""
    kept: list[str] = []
    place = 0
    while place < len(words):
        length = phrases.length_at(words, place)
        if not length:
            kept.append(words[place])
        place += length or 1
    return tuple(kept)


def _without_commas(words: Phrase) -> Phrase:
    return tuple(word for word in words if word != ",")
