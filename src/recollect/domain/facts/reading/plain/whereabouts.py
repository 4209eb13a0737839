"""Where users are for the moment: "I'm at Starbucks", "Ik ben in de Colruyt", "Ich bin im Büro".

The same is told of others, and what they do just then: "Max is at school", "Mijn vrouw slaapt".

It tells neither where they live nor where they work, unless more is said: "as a barista", "since
2019", "I've changed jobs" before it, or an answer to "Where do you work?".
"""

from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.plain.employers import tells_employer
from recollect.domain.facts.reading.plain.languages.slots import plain_slot_words
from recollect.domain.facts.reading.plain.languages.whereabouts import (
    WhereaboutsWords,
    whereabouts_words,
)
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in
from recollect.domain.speech.spoken import Part

_LONGEST_EARLIER: Final = 200
"""Characters of a message that says little else than where somebody works."""
_MOST_ADVERBS: Final = 3
_MOST_SMALL_WORDS: Final = 3
"""Between "in" and the place: "in one of the shops"."""
_MOST_OF_PERSON: Final = 3
"""Words of somebody of the user's at whose place they are: "my little sister"."""


def tells_whereabouts(clause: QuotedClause, reply: str | None, earlier: str | None = None) -> bool:
    """Whether a quote only says where the user or somebody else is, or what they do just then.

    Not if the reply before has asked for more, nor if it is new, and what the user said before that
    was where they work: "I work at Shell", then "I'm at ASML now".
    """
    if any(_is_somebody_somewhere(clause, code) for code in LANGUAGES):
        return True
    if not any(_is_somewhere(clause, code) for code in LANGUAGES):
        return False
    return not _is_asked_for(reply) and not _is_new_employer(clause, earlier)


def tells_new_employer(quote: str, earlier: str | None) -> bool:
    """Whether a quote tells where the user works now, who said where they did before."""
    part = Part(start=0, text=quote)
    return _is_new_employer(QuotedClause.read((part,), start=0, end=part.end), earlier)


def _is_new_employer(clause: QuotedClause, earlier: str | None) -> bool:
    words = clause.words[clause.start : clause.end]
    is_new = any(plain_slot_words(code).now.are_in(words) for code in LANGUAGES)
    if earlier is None or not is_new or len(earlier) > _LONGEST_EARLIER:
        return False
    is_named = any(_is_named_place(clause, code) for code in LANGUAGES)
    return is_named and tells_employer(earlier)


def _is_named_place(clause: QuotedClause, code: str) -> bool:
    """Whether the place is a name, which an employer has: not "my desk"."""
    known, words = whereabouts_words(code), clause.words
    for at in range(clause.clause_start, clause.start + 1):
        length = known.being.length_at(words, at)
        if length and _is_at_name(clause, _after_adverbs(words, at + length, known), known):
            return True
    return False


def _is_asked_for(reply: str | None) -> bool:
    if reply is None or "?" not in reply:
        return False
    words = words_in(reply)
    return any(whereabouts_words(code).asked.are_in(words) for code in LANGUAGES)


def _is_somewhere(clause: QuotedClause, code: str) -> bool:
    known, words = whereabouts_words(code), clause.words[: clause.clause_end]
    sentence = clause.words[clause.sentence_start : clause.sentence_end]
    if known.settled.are_in(sentence) or known.moving.are_in((*clause.sentence_before, *sentence)):
        return False
    for at in range(clause.clause_start, clause.start + 1):
        if length := known.being.length_at(words, at):
            place = _after_adverbs(words, at + length, known)
            if _is_at_place(words, place, code) or _is_at_name(clause, place, known):
                return True
        elif length := known.posing.length_at(words, at):
            place = _after_adverbs(words, at + length, known)
            if _is_at_place(words, place, code):
                return True
    return False


def _after_adverbs(words: Phrase, place: int, known: WhereaboutsWords) -> int:
    for _ in range(_MOST_ADVERBS):
        place += known.meanwhile.length_at(words, place)
    return place


def _is_somebody_somewhere(clause: QuotedClause, code: str) -> bool:
    """Whether somebody else is said to be somewhere or to be busy, and nothing more."""
    known, words = whereabouts_words(code), clause.words[: clause.clause_end]
    sentence = clause.words[clause.sentence_start : clause.sentence_end]
    place = _after_somebody(clause, code)
    if not place or known.settled.are_in(sentence):
        return False
    verb = known.being_of.length_at(words, place)
    place = _after_adverbs(words, place + verb, known)
    busy = known.busy.length_at(words, place)
    ends = [place + busy] if busy else []
    if verb:
        ends += (_end_of_place(words, place, one, code) for one in (known.places, known.places_of))
    return any(end and _ends_there(words, end, known) for end in ends)


def _after_somebody(clause: QuotedClause, code: str) -> int:
    """The place after "my little sister" or a name that a quote begins with; 0 if none does."""
    words, start = clause.words[: clause.clause_end], clause.start
    persons = fact_words(code).persons
    if fact_words(code).owners.length_at(words, start):
        nouns = range(start + 1, min(start + 1 + _MOST_OF_PERSON, len(words)))
        ends = (at + length for at in nouns if (length := persons.length_at(words, at)))
        place = next(ends, 0)
        return place + (place in clause.capitals)
    is_name = start in clause.capitals and not is_common_word(words[start])
    return start + 1 + (start + 1 in clause.capitals) if is_name else 0


def _ends_there(words: Phrase, place: int, known: WhereaboutsWords) -> bool:
    place = _after_adverbs(words, place, known)
    return place >= len(words) or known.until.length_at(words, place) > 0


def _is_at_place(words: Phrase, place: int, code: str) -> bool:
    return _end_of_place(words, place, whereabouts_words(code).places, code) > 0


def _end_of_place(words: Phrase, place: int, places: Phrases, code: str) -> int:
    """Where a place, or somebody at whose place, ends behind "in" and small words; 0 if none."""
    known = whereabouts_words(code)
    if length := known.anywhere.length_at(words, place):
        return place + length
    length = known.at.length_at(words, place)
    if not length:
        return 0
    first = place + length
    for at in range(first, min(first + _MOST_SMALL_WORDS, len(words))):
        if length := places.length_at(words, at):
            return at + length
        if _is_at_person(words, at, code):
            return len(words)
        if not is_common_word(words[at]):
            return 0
    return 0


def _is_at_person(words: Phrase, place: int, code: str) -> bool:
    """Whether somebody of the user's is named there: "my sister's"."""
    if not whereabouts_words(code).mine.length_at(words, place):
        return False
    return fact_words(code).persons.are_in(words[place + 1 : place + 1 + _MOST_OF_PERSON])


def _is_at_name(clause: QuotedClause, place: int, known: WhereaboutsWords) -> bool:
    """Whether a name stands there, behind "in" and an article."""
    words = clause.words[: clause.clause_end]
    length = known.at_named.length_at(words, place)
    if not length:
        return False
    name = place + length
    if name not in clause.capitals:
        name += known.articles.length_at(words, name)
    return name in clause.capitals and not known.callings.length_at(words, name)
