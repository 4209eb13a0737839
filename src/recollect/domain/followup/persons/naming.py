"""Reading a question once the persons it means are named."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import opening_title, spoken_words
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.persons.partial_names import (
    has_lone_name,
    lists_names,
    named_in_full,
)
from recollect.domain.followup.persons.pronoun_chains import (
    SURE,
    Propose,
    agreed,
    chained_candidate,
    is_answered_by_another,
    needs_agreement,
)

_FOLLOW_UP: Final = 0.5
"""A question that needs its history less often is complete with a last name alone."""


def read_with_persons(
    question: str,
    history: Sequence[HistoryMessage],
    known: LanguageWords,
    propose: Propose,
    *,
    least_confidence: float,
) -> Proposal:
    """What `propose` makes of a question in which pronouns that go on and names are replaced.

    It reads the question as asked where nobody is plainly meant, and the question with its persons
    where that points to something else, too: "Did she get it?".
    """
    chained = chained_candidate(question, history, known, propose)
    if chained is not None and not needs_agreement(chained, question, history, known):
        return _with_further(chained, history, known, propose, least_confidence)
    alone = propose(question, history)
    if chained is not None:
        both = agreed(chained, alone)
        if both is None or is_answered_by_another(history, chained, known):
            return _as_asked(question, alone) if chained.confidence >= SURE else alone
        return _with_further(both, history, known, propose, least_confidence)
    if _is_rewrite(alone, question, least_confidence) or not has_lone_name(question, known):
        return alone
    named = named_in_full(question, _naming(history, alone, known), known)
    if named is None:
        return alone
    return _with_further(named, history, known, propose, least_confidence)


def _naming(
    history: Sequence[HistoryMessage], alone: Proposal, known: LanguageWords
) -> Sequence[HistoryMessage]:
    """The messages whose names a question may mean.

    Where it seems complete, those are the title, and a last reply that lists several persons.
    """
    if alone.need >= _FOLLOW_UP:
        return history
    title = history[:1] if opening_title(history) is not None else ()
    listing = (one for one in history[-1:] if lists_names(one.content, known))
    return (*title, *listing)


def _with_further(
    named: Proposal,
    history: Sequence[HistoryMessage],
    known: LanguageWords,
    propose: Propose,
    least_confidence: float,
) -> Proposal:
    """A question with its person, and with what else it points to if that is sure."""
    if named.confidence < least_confidence or not _points_back(named.standalone_question, known):
        return named
    further = propose(named.standalone_question, history)
    is_more = _is_rewrite(further, named.standalone_question, least_confidence)
    return _both(named, further) if is_more else named


def _is_rewrite(proposal: Proposal, question: str, least_confidence: float) -> bool:
    return proposal.standalone_question != question and proposal.confidence >= least_confidence


def _as_asked(question: str, read: Proposal) -> Proposal:
    """No change, where two sure readings mean two persons."""
    return replace(read, standalone_question=question, confidence=1 - read.need, explanations=())


def _points_back(question: str, known: LanguageWords) -> bool:
    """Whether a question has a word that may point to something said before."""
    return not (known.pointers | known.noun_pointers).isdisjoint(spoken_words(question))


def _both(named: Proposal, further: Proposal) -> Proposal:
    """The second of two changes, which holds if both do."""
    return replace(
        further,
        need=max(named.need, further.need),
        confidence=min(named.confidence, further.confidence),
        explanations=named.explanations + further.explanations,
    )
