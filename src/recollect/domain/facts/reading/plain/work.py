"""What is said of work and tells no job: the end of a day, a table to sit at, an offer.

"I left work early" ends no job, "I'm working at a table by the window" names no employer, and
"BP offered me a job" takes none, unless it is accepted.
"""

import re
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.languages.whereabouts import whereabouts_words
from recollect.domain.facts.reading.plain.languages.work import WorkWords, work_words
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase

_HOURS_A_DAY: Final = 24
_DIGITS_OF_HOUR: Final = 2
_FIGURES: Final = re.compile(r"[0-9]{1,2}(?![0-9])")
_OF: Final = frozenset({"de", "d", "del", "of"})
"""What makes something else of a table: "mesa de ayuda"."""
_DENIED: Final = 3
"""Words before "accepted" among which it may be denied."""


def tells_day_of_work(clause: QuotedClause) -> bool:
    """Whether a quote tells when the day's work ended, or at what table the user works."""
    return any(_ends_day(clause, code) or _sits_at_work(clause, code) for code in LANGUAGES)


def tells_offer(clause: QuotedClause) -> bool:
    """Whether a quote tells of a job that is offered to the user, who has not accepted it."""
    return any(_is_offer(clause, code) for code in LANGUAGES)


def _ends_day(clause: QuotedClause, code: str) -> bool:
    known, words = work_words(code), clause.words[clause.clause_start : clause.clause_end]
    if not known.leaving.are_in(words) or not known.workplace.are_in(words):
        return False
    is_longer = known.long.are_in(words) or whereabouts_words(code).settled.are_in(words)
    return _has_hour(words, known) and not is_longer


def _has_hour(words: Phrase, known: WorkWords) -> bool:
    """Whether an hour of the day is told, and no year."""
    if any(word.isdecimal() and len(word) > _DIGITS_OF_HOUR for word in words):
        return False
    after = (at + known.at_hour.length_at(words, at) for at in known.at_hour.places_in(words))
    return known.hours.are_in(words) or any(_is_hour(words[at:], known) for at in after)


def _is_hour(words: Phrase, known: WorkWords) -> bool:
    figures = _FIGURES.match(words[0]) if words else None
    is_figure = figures is not None and int(figures[0]) <= _HOURS_A_DAY
    return is_figure or known.hour_words.length_at(words) > 0


def _sits_at_work(clause: QuotedClause, code: str) -> bool:
    known, words = work_words(code), clause.words[: clause.clause_end]
    if fact_words(code).lasting.are_in(words[clause.sentence_start :]):
        return False
    return any(
        _is_spot(clause, at + known.working.length_at(words, at), code)
        for at in range(clause.clause_start, clause.start + 1)
        if known.working.length_at(words, at)
    )


def _is_spot(clause: QuotedClause, place: int, code: str) -> bool:
    """Whether a piece of furniture stands there; not "Table Mountain", nor "a desk job"."""
    known, words = work_words(code), clause.words[: clause.clause_end]
    place += whereabouts_words(code).meanwhile.length_at(words, place)
    if known.at_spot.length_at(words, place) and not known.spots.length_at(words, place):
        place += known.at_spot.length_at(words, place)
        place += known.spot_articles.length_at(words, place)
    length = known.spots.length_at(words, place)
    is_name = place in clause.capitals and code != "de"
    following = words[place + length : place + length + 1]
    is_whole = code != "en" or not following or is_common_word(following[0])
    return length > 0 and is_whole and not is_name and _OF.isdisjoint(following)


def _is_offer(clause: QuotedClause, code: str) -> bool:
    known, words = work_words(code), clause.words[clause.clause_start : clause.clause_end]
    is_offered = known.offered.are_in(words) and known.takers.are_in(words)
    if not known.jobs.are_in(words) or not (is_offered or known.offers.are_in(words)):
        return False
    sentence = clause.words[clause.sentence_start : clause.sentence_end]
    return not any(
        not any(word == "t" or negates(word) for word in sentence[max(0, at - _DENIED) : at])
        for at in known.accepted.places_in(sentence)
    )
