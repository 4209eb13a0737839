"""Questions with edits, as the checks of the follow-up model read them."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.followup.edits import Block, Edits, words_of
from recollect.domain.followup.languages import LanguageWords, words_for
from recollect.models.followup.confidence import WordLists
from recollect.models.followup.edited_question import EditedQuestion
from support.followups import edits_of

_NO_LISTS: Final = WordLists(
    function_words=frozenset(), pointers=frozenset(), discardable=frozenset()
)


def edited_question(
    question: str,
    blocks: Sequence[Block],
    edits: Edits,
    known: LanguageWords,
    *,
    lists: WordLists = _NO_LISTS,
    is_data: bool = False,
) -> EditedQuestion:
    """A question after messages, newest first, with edits."""
    return EditedQuestion(
        words=words_of(question),
        blocks=blocks,
        edits=edits,
        lists=lists,
        known=known,
        is_data=is_data,
    )


def edited_to(
    rewrite: str,
    *,
    language: str,
    last: str,
    question: str,
    lists: WordLists = _NO_LISTS,
    is_data: bool = False,
) -> EditedQuestion:
    """A question with the edits that make a rewrite: `[words of the last question]` come in."""
    blocks, edits = edits_of(question, last, rewrite)
    known = words_for(language)
    return edited_question(question, blocks, edits, known, lists=lists, is_data=is_data)
