"""Follow-ups of data questions that rules read exactly: another value, one more filter."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Method, Proposal, Said, Signal
from recollect.domain.followup.rewrite import rewrite

_EXPLAINED: Final[dict[str, str]] = {
    Signal.ELLIPSIS_OPENER: "the last data question, with another value",
    Signal.BARE_VALUE: "the last data question, with another value",
    Signal.SAME_BUT: "the last data question, with a change",
    Signal.FILTER: "the last data question, with another filter",
}
_EXCHANGE: Final = 2  # the last question and its answer
_COMPLETE: Final = 4  # words that a question with a meaning of its own has
_NEED: Final = 0.9  # such fragments say nothing without the question before them


def rule_candidate(question: str, history: Sequence[Said], language: str) -> Proposal | None:
    """The last data question, changed as this one says; None where the rules do not apply.

    They apply after an answer with stored SQL alone.
    """
    if len(history) < _EXCHANGE or not history[-1].sql_query:
        return None
    earlier = history[-_EXCHANGE]
    if earlier.role is not Role.USER or len(earlier.content.split()) < _COMPLETE:
        return None  # a follow-up itself: to build on its reading would be a guess on a guess
    result = rewrite(question, history[-_EXCHANGE:], language=language)
    explanation = _EXPLAINED.get(result.signals[0]) if result.signals else None
    if explanation is None or result.method is not Method.RULES:
        return None
    return Proposal(
        standalone_question=result.standalone_question,
        need=_NEED,
        confidence=result.confidence,
        explanations=(explanation,),
    )
