"""Denials that may be of a reason alone: "I don't live in Ghent because of the weather".

Who says so may live in Ghent for another reason, or not there at all. What is known tells which:
`facts.updates.denied_reasons` then ends nothing.
"""

from dataclasses import dataclass
from typing import Final

from recollect.domain.facts.reading.moves import moves_in
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain.languages.denials import DenialWords, denial_words
from recollect.domain.facts.reading.quoted_clause import QuotedClause
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases

_LONGEST_OPENING: Final = 2
"""The most words of a next clause before its "because": "but just because"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeniedReason:
    """A denial with a reason, which may be all that it denies."""

    said: Phrase
    """The words of its clause before the reason, or all of them if the reason is sure."""
    is_sure: bool
    """Whether it surely is a reason: "because of", and not the "for" of "work for the city"."""


def denied_reason(quote: str, message: str) -> DeniedReason | None:
    """The denial with a reason that a quote of a message is or begins; None if it is none.

    "I don't live in Ghent any more because of the weather" denies the home, whatever the reason,
    and so does "because I moved to Leeds".
    """
    if (not negates(message) and not _has_negation(message)) or any(moves_in(message)):
        return None
    clause = QuotedClause.find(quote, readable_parts(message))
    known = [denial_words(code) for code in LANGUAGES]
    if clause is None or any(_is_over(clause, one) for one in known):
        return None
    return next((one for one in (_read(clause, words) for words in known) if one), None)


def _has_negation(message: str) -> bool:
    """Whether a message has a Spanish "no", which other languages have, too."""
    return "no" in message.lower().split()


def _is_over(clause: QuotedClause, known: DenialWords) -> bool:
    """Whether a clause denies what was so before: "not any more", whatever the reason."""
    words = clause.words[clause.clause_start : clause.clause_end]
    ends = _ends_of_negations(words, known)
    places = (*known.reasons.places_in(words), *known.purposes.places_in(words))
    first = min((at for at in places if ends and at >= min(ends)), default=len(words))
    return bool(ends) and known.over.are_in(words[:first])


def _ends_of_negations(words: Phrase, known: DenialWords) -> list[int]:
    return [
        at + one.length_at(words, at)
        for one in (known.negations, known.contracted)
        for at in one.places_in(words)
    ]


def _read(clause: QuotedClause, known: DenialWords) -> DeniedReason | None:
    words = clause.words[clause.clause_start : clause.clause_end]
    ends = _ends_of_negations(words, known)
    if not ends:
        return None
    sure = [at for at in known.reasons.places_in(words) if at >= min(ends)]
    if not sure and _begins_next(clause, known.reasons):
        sure = [len(words)]
    maybe = [at for at in known.purposes.places_in(words) if at >= min(ends)]
    reasons = sure or maybe
    if not reasons or clause.start >= clause.clause_start + reasons[0]:  # the quote is the reason
        return None
    return DeniedReason(said=words if sure else words[: maybe[-1]], is_sure=bool(sure))


def _begins_next(clause: QuotedClause, reasons: Phrases) -> bool:
    """Whether the next clause begins with a reason, as it has to behind a German comma."""
    following = clause.next_clause
    return any(reasons.length_at(following, at) for at in range(_LONGEST_OPENING + 1))
