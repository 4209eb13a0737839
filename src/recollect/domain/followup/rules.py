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
_NEED: Final = 0.9  # such fragments say nothing without the question before them


def rule_candidate(question: str, history: Sequence[Said], language: str) -> Proposal | None:
    """The last data question, changed as this one says; None where the rules do not apply.

    They apply after an answer with stored SQL alone.
    """
    answer = next((one for one in reversed(history) if one.role is Role.ASSISTANT), None)
    if answer is None or not answer.sql_query:
        return None
    result = rewrite(question, history, language=language)
    explanation = _EXPLAINED.get(result.signals[0]) if result.signals else None
    if explanation is None or result.method is not Method.RULES:
        return None
    return Proposal(
        standalone_question=result.standalone_question,
        need=_NEED,
        confidence=result.confidence,
        explanations=(explanation,),
    )
