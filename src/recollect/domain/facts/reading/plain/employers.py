"""Sentences about work: which of them plainly tell where the user works now, and which do not.

"I work at Shell", "trabajo en Telefónica como técnico" and "ik heb de baan bij ASML aangenomen" do;
"trabajo en Madrid" tells a place, and "I'm at the Hilton as a guest" no work.
"""

from collections.abc import Sequence
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.facts.reading.languages.slot_names import length_of_saying
from recollect.domain.facts.reading.plain.languages.employers import EmployerWords, employer_words
from recollect.domain.facts.reading.plain.languages.slots import plain_slot_words
from recollect.domain.facts.reading.plain.languages.work import work_words
from recollect.domain.facts.reading.plain.sentence import PlainSentence, sentences_of
from recollect.domain.facts.slots import Slot
from recollect.domain.speech.phrases import LANGUAGES, words_in

_MOST_OF_ROLE: Final = 6
"""Words of a profession: "senior technical project manager"."""
_DIGITS_OF_YEAR: Final = 4


def tells_employer(content: str) -> bool:
    """Whether a sentence begins as one about an employer does, also about one of several."""
    for sentence in sentences_of(content):
        words = tuple(
            word for word in sentence.words if not sentence.known.beside.length_at((word,))
        )
        if length_of_saying(words, Slot.EMPLOYER, sentence.code):
            return not sentence.begins_with(sentence.known.no_employer)
    return False


def tells_former_work(content: str) -> bool:
    """Whether a sentence is about an employer of before, and not about a change."""
    words = words_in(content)
    known = [plain_slot_words(code) for code in LANGUAGES]
    is_former = any(one.former_work.are_in(words) for one in known)
    return is_former and not any(one.changes.length_at(words) for one in known)


def tells_sought_work(content: str) -> bool:
    """Whether a sentence is about an employer with whom the user would like to work."""
    words = words_in(content)
    spoken = [code for code in LANGUAGES if fact_words(code).subjects.are_in(words)]
    codes = spoken or LANGUAGES  # a Spanish verb may do without a subject
    return any(plain_slot_words(code).sought_work.are_in(words) for code in codes)


def names_other_employer(content: str, other: str) -> bool:
    """Whether both sentences have a name behind "bei" or the like, and none is the same."""
    names, others = _names_behind(content), _names_behind(other)
    return bool(names) and bool(others) and names.isdisjoint(others)


def _names_behind(content: str) -> frozenset[str]:
    found: set[str] = set()
    for sentence in sentences_of(content):
        places = employer_words(sentence.code).employed_at.places_in(sentence.words)
        found |= {sentence.words[at + 1] for at in places if sentence.has_capital(at + 1)}
    return frozenset(found)


def surely_tells_employer(sentences: Sequence[PlainSentence]) -> bool:
    """Whether a sentence plainly tells where the user works now, or will, having accepted a job.

    It is given as each language reads it.
    """
    return any(_works_somewhere(one) or _has_accepted(one) for one in sentences)


def tells_stay(sentence: PlainSentence) -> bool:
    """Whether a sentence tells where the user is: "I'm at Philips", without "as an engineer"."""
    return employer_words(sentence.code).stays_at.length_at(sentence.words) > 0


def tells_place_of_work(sentence: PlainSentence) -> bool:
    """Whether a sentence that may tell an employer tells something else: "en Madrid", "en un"."""
    length = sentence.known.works_maybe.length_at(sentence.words)
    if length and sentence.known.not_named.length_at(sentence.words, length):
        return True
    name = sentence.name_after(length) if length else None
    return name is not None and _is_place(sentence, length, name)


def _works_somewhere(sentence: PlainSentence) -> bool:
    known, words = employer_words(sentence.code), sentence.words
    if sentence.begins_with(sentence.known.no_employer):
        return False
    for phrases in (sentence.known.works_at, sentence.known.works_maybe):
        if (length := phrases.length_at(words)) and _is_employer(sentence, length):
            return True
    if _has_started(sentence):
        return True
    if (length := known.stays_at.length_at(words)) and _is_employer(sentence, length):
        return _is_followed_by_role(sentence, length, known)
    length = known.works_as.length_at(words)
    places = range(length + 1, min(length + _MOST_OF_ROLE, len(words))) if length else ()
    return any(
        known.employed_at.length_at(words, at) and _is_employer(sentence, at + 1) for at in places
    )


def _has_started(sentence: PlainSentence) -> bool:
    """Whether a sentence says that the user has started with an employer, its participle last."""
    words, known = sentence.words, sentence.known
    last = tuple(word for word in words if word.isalnum())[-1:]
    is_started = known.started.length_at(last) > 0
    length = known.starts_at.length_at(words) if is_started else 0
    return length > 0 and _is_employer(sentence, length)


def _is_employer(sentence: PlainSentence, place: int) -> bool:
    """Whether a name stands there that is neither a place nor somebody's."""
    name = sentence.name_after(place)
    if name is None or _is_place(sentence, place, name):
        return False
    is_first = is_first_name(sentence.words[name]) and not sentence.has_capital(name + 1)
    return not is_first or sentence.begins_with(sentence.known.works_at)


def _is_place(sentence: PlainSentence, place: int, name: int) -> bool:
    """Whether what begins at a place or a name is a city or a country: "la Coruña", "Madrid"."""
    places = employer_words(sentence.code).places
    return any(places.length_at(sentence.words, at) > 0 for at in (place, name))


def _is_followed_by_role(sentence: PlainSentence, place: int, known: EmployerWords) -> bool:
    """Whether a profession follows a name, and not what a guest is."""
    name = sentence.name_after(place)
    end = place if name is None else name
    while sentence.has_capital(end):
        end += 1
    length = known.as_what.length_at(sentence.words, end)
    role = sentence.words[end + length :]
    return bool(length and role) and not known.no_jobs.are_in(role)


def _has_accepted(sentence: PlainSentence) -> bool:
    """Whether a sentence says that the user has accepted a job with somebody who is named."""
    known, words = employer_words(sentence.code), sentence.words
    if not known.accepting.length_at(words) or not known.accepted.are_in(words):
        return False
    is_of_year = any(word.isdecimal() and len(word) == _DIGITS_OF_YEAR for word in words)
    if is_of_year or not work_words(sentence.code).jobs.are_in(words):
        return False
    return any(_is_employer(sentence, at + 1) for at in known.job_with.places_in(words))
