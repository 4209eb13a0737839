"""Choosing among the readings of a question; it stays as asked unless one of them is sure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.agreement import agreeing, disagrees
from recollect.domain.followup.dialogue import HistoryMessage, Method, Proposal, Rewrite
from recollect.domain.followup.faults import leaves_comparison_open, spoils_by_number
from recollect.domain.followup.languages import words_for
from recollect.domain.followup.opening_question import opening_question
from recollect.domain.language import content_words, split_words

_FOLLOW_UP: Final = 0.5
MAX_CONTEXT_TERMS: Final = 12
_READ_CHARACTERS: Final = 1000  # of the last question


def best_rewrite(
    question: str,
    history: Sequence[HistoryMessage],
    candidates: Mapping[Method, Proposal],
    *,
    least_confidence: float,
    language: str,
) -> Rewrite:
    """The surest candidate; the question as asked where none is sure enough, or surer than that.

    `candidates` are in the order of trust: the first says whether the question needs its history.
    """
    known = words_for(language)
    first = next(iter(candidates.values()), None)
    as_asked = _as_asked(question, first.need if first else 0.0, language)
    rewrites = {
        method: one
        for method, one in candidates.items()
        if one.need >= _FOLLOW_UP
        and one.standalone_question != question
        and not is_faulty(one.standalone_question, question, history)
        and not leaves_comparison_open(one.standalone_question, known)
        and not (
            method is Method.MODEL
            and spoils_by_number(one.standalone_question, question, history, known, language)
        )
        and not disagrees(one.standalone_question, question, known)
    }
    method = max(rewrites, key=lambda method: rewrites[method].confidence, default=Method.NONE)
    best = rewrites.get(method)
    is_sure = best is not None and best.confidence >= max(least_confidence, as_asked.confidence)
    rewrite = as_asked
    if best is not None and is_sure:
        agreed = agreeing(best.standalone_question, history, known)
        rewrite = _rewritten(replace(best, standalone_question=agreed), method, language)
    return _with_topic(rewrite, question, history, candidates)


def is_faulty(rewrite: str, question: str, history: Sequence[HistoryMessage]) -> bool:
    """Whether a rewrite is the last question over again, or has torn a quotation."""
    last = next((one.content for one in reversed(history) if one.role is Role.USER), "")
    if _said(rewrite) == _said(last[:_READ_CHARACTERS]):
        return True
    return rewrite.count('"') % 2 > question.count('"') % 2


def _said(text: str) -> list[str]:
    return split_words(text.lower())


def _as_asked(question: str, need: float, language: str) -> Rewrite:
    return Rewrite(
        standalone_question=question,
        is_follow_up=need >= _FOLLOW_UP,
        method=Method.NONE,
        signals=(),
        confidence=1 - need,
        language=language,
    )


def _rewritten(proposal: Proposal, method: Method, language: str) -> Rewrite:
    return Rewrite(
        # Names taken from the history may have line breaks; a question has none.
        standalone_question=" ".join(proposal.standalone_question.split()),
        is_follow_up=True,
        method=method,
        signals=proposal.explanations,
        confidence=proposal.confidence,
        language=language,
    )


def _with_topic(
    rewrite: Rewrite,
    question: str,
    history: Sequence[HistoryMessage],
    candidates: Mapping[Method, Proposal],
) -> Rewrite:
    """A follow-up with what it seems to be about."""
    if not rewrite.is_follow_up:
        return rewrite
    topic = next((one.topic for one in candidates.values() if one.topic), None)
    text = f"{topic or ''} {opening_question(history, rewrite.language)}"
    own = {word.lower() for word in content_words(question, rewrite.language)}
    terms = [w for w in content_words(text, rewrite.language) if w.lower() not in own]
    return replace(rewrite, topic=topic, context_terms=tuple(terms[:MAX_CONTEXT_TERMS]))
