"""Edits of questions to data that change what was asked, or make no question of it."""

from collections.abc import Iterable
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.confidence import NEAR_BEGINNING
from recollect.models.followup.edited_question import EditedQuestion

_PAIR: Final = 2  # words


def changes_data_question(edited: EditedQuestion) -> bool:
    """Whether edits lose a figure of the last question to data, or mix it with something personal.

    "And for Globex?" after "Show sales by region for 2024" must not lose the year, "Compare with
    2019" needs both, and "What about my dentist?" is not about sales.
    """
    known, taken = edited.known, edited.taken
    texts = {word.text.lower() for word in edited.words}
    old = {word.text.lower() for word in edited.last_question}
    begins = any(
        one.span.first == 0 and edited.source(one).role is Role.USER
        for one in edited.edits.insertions
    )
    figures, own = (_figures(some, known) for some in (old, texts))
    if begins:
        is_personal = bool(known.personal & texts - old)
        return is_personal or bool(figures - taken - texts and not own)
    takes_some = not taken.isdisjoint(old) and known.pointers.isdisjoint(texts)
    return takes_some and bool(own) and bool(figures - taken - texts)


def _figures(texts: Iterable[str], known: LanguageWords) -> set[str]:
    """Numbers, and the names of months that mean nothing else, as "may" does."""
    months = known.months - known.small_words
    return {text for text in texts if text[0].isdigit() or text in months}


def shares_words(edited: EditedQuestion) -> bool:
    """Whether a fragment has words of the last question to data, or begins as a part of one."""
    known, texts, lists = edited.known, edited.texts, edited.lists
    if len(texts) < _PAIR or not (known.personal | known.weekdays).isdisjoint(texts):
        return False
    shared = lists.content(edited.words) & lists.content(edited.last_question)
    begins = texts[0] in known.comparing | known.conditions | known.extremes
    return bool(shared) or begins or not known.extremes.isdisjoint(texts[:_PAIR])


def asks_without_verb(edited: EditedQuestion) -> bool:
    """Whether a question of one word gets no verb: "Why total sales by region?"."""
    edits = edited.edits
    if (
        len(edited.texts) != 1
        or 0 in edits.deleted
        or any(one.gap == 0 for one in edits.insertions)
    ):
        return False
    return edited.known.finite_verbs.isdisjoint(edited.taken)


def begins_within(edited: EditedQuestion) -> bool:
    """Whether a fragment follows the middle of a question: "Prices 3 or less of boats"."""
    known, first = edited.known, edited.first
    texts = [word.text.lower() for word in edited.words]
    if not starting_phrase(texts, known.openers):
        return False
    is_first = first.gap <= edited.next_kept(0) and edited.source(first).role is Role.USER
    asks = edited.inserted(first)[0].text.lower() in known.wh_openers | known.requests
    return is_first and first.span.first >= NEAR_BEGINNING and not asks


def moves_clause(edited: EditedQuestion) -> bool:
    """Whether a clause about "those" follows a verb: "the boats that were built that sail"."""
    known = edited.known
    for one in edited.edits.insertions:
        kept = edited.next_kept(one.gap)
        before = edited.text_at(kept - 1) if kept - 1 in edited.edits.deleted else ""
        last = edited.inserted(one)[-1].text.lower()
        is_clause = edited.text_at(kept) in known.relatives and before in known.row_determiners
        is_verb = last.endswith(tuple(known.past_endings)) or last in known.auxiliaries
        if is_clause and is_verb:
            return True
    return False


def means_two(edited: EditedQuestion) -> bool:
    """Whether a fragment is about two things that were named: "Give me both"."""
    return not edited.known.pair_words.isdisjoint(edited.texts[-1:])
