"""Follow-ups that the last question and its answer explain: "What about 2023?".

What else the conversation has named plays no part in it, so that a question which comes again
after the same words, as at the next turn of its conversation, need not be read again.
"""

from typing import NamedTuple

from recollect.domain.followup.data import rewrite_data
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.ellipsis import substitute_value
from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.openers import opener_end, strip_opener
from recollect.domain.followup.query import parse_query
from recollect.domain.followup.question import Question
from recollect.domain.followup.register import is_data_question, is_data_talk
from recollect.domain.followup.replies import complete_indifference
from recollect.domain.followup.tokens import apply_edits


class Before(NamedTuple):
    """What a question comes after, as far as `restate` looks at it."""

    question: Question | None
    """The last one, standalone and with its values as the database spells them."""
    has_sql: bool
    answer: str
    """The end of the answer to it."""
    had_open_question: bool


class Restated(NamedTuple):
    """A question as it reads after another; without a signal it is as it was."""

    said: str
    signals: tuple[Signal, ...] = ()


def restate(question: Question, before: Before) -> Restated | None:
    """Read a question in the light of the last one.

    None where what it points to, if anything, is to be looked for in the whole conversation.
    """
    text, pack, previous = question.text, question.pack, before.question
    if question.asks_nothing:
        return Restated(question.said)
    if previous is not None and _is_data_talk(question, previous, before):
        found = rewrite_data(text, previous.text, pack)
        return Restated(question.said) if found is None else Restated(found[0], (found[1],))
    reply = complete_indifference(text, before.answer, pack)
    if reply is not None:
        return Restated(apply_edits(text.text, [reply]), (Signal.REPLY,))
    replaced = None if previous is None else _replace_value(text, previous.text, pack)
    return None if replaced is None else Restated(replaced, (Signal.ELLIPSIS_OPENER,))


def _is_data_talk(question: Question, previous: Question, before: Before) -> bool:
    if before.has_sql:
        return True
    if before.answer:
        return is_data_question(previous.text, previous.pack)
    return is_data_talk(
        previous.text,
        question.text,
        question.pack,
        had_open_question=before.had_open_question,
    )


def _replace_value(text: Text, previous: Text, pack: LanguagePack) -> str | None:
    """As in "And in 2023?" after any question with a year in it."""
    if not opener_end(text, pack):
        return None
    body = strip_opener(text, pack).body
    opens = body.tag(0) in {Tag.QUESTION, Tag.AUXILIARY, Tag.VERB} or body.word(0) in pack.requests
    if opens or not body.tokens:
        return None
    return substitute_value(parse_query(previous, pack), body, pack)
