"""Reading a question once the persons it means are named."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import spoken_words
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.persons.partial_names import named_in_full
from recollect.domain.followup.persons.pronoun_chains import (
    SURE,
    Propose,
    agreed,
    chained_candidate,
)


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
    if chained is not None and chained.confidence < SURE:
        alone = propose(question, history)
        chained = agreed(chained, alone)
        if chained is None:
            return alone
    named = chained or named_in_full(question, history, known)
    if named is None:
        return propose(question, history)
    if named.confidence < least_confidence or not _points_back(named.standalone_question, known):
        return named
    further = propose(named.standalone_question, history)
    is_more = further.standalone_question != named.standalone_question
    return _both(named, further) if is_more and further.confidence >= least_confidence else named


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
