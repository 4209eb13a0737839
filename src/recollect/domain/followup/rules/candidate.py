"""The last question with one part changed, where rules read the change exactly."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import Final
from uuid import UUID

from recollect.domain.conversation.message import Role
from recollect.domain.followup.chit_chat import is_chit_chat, without_chit_chat
from recollect.domain.followup.data_questions.answers import is_data_question
from recollect.domain.followup.data_questions.changing.fragments import changed_by_fragment
from recollect.domain.followup.data_questions.changing.numbers import with_number
from recollect.domain.followup.data_questions.nouns import is_bound
from recollect.domain.followup.data_questions.phrases import data_phrase
from recollect.domain.followup.data_questions.pointers import data_pointer_candidate
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import spoken_words, words_of, words_of_question
from recollect.domain.followup.languages import LanguageWords, starting_phrase, words_for
from recollect.domain.followup.rules.counterparts import counterpart_candidate
from recollect.domain.followup.rules.items import item_candidate
from recollect.domain.followup.rules.last_question import last_question_candidate
from recollect.domain.followup.rules.recent_readings import RecentReadings
from recollect.domain.followup.rules.refinements import Part, Refinement, read_refinement
from recollect.domain.followup.rules.refining import refine

_QUOTED: Final = re.compile(r"""['"]([^'"]{1,80})['"]""")
_LONGEST_SQL: Final = 10_000  # characters
_MOST_VALUES: Final = 20
_SENTENCE_END: Final = re.compile(r"[.!?…] ")
_COMPLETE: Final = 4  # words that a question with a meaning of its own has
_LONGEST: Final = 60  # words of a question
_LONGEST_TEXT: Final = 800  # characters
_CHAIN: Final = 4  # fragments in a row
_CACHED_QUESTIONS: Final = 256
_CACHED_READINGS: Final = 4096  # of a thousand users who ask in turn; some 1 MB
_RECENT: Final = 6  # messages of a history that are completed
_NEED: Final = 0.95  # a fragment says nothing without the question before it
_CONFIDENCE: Final = 0.8
_CONFIDENCE_OF_FRAGMENTS: Final = 0.75
_CONFIDENCE_OF_VALUES: Final = 0.9  # they have one place, and take it from another value
_recent_readings: Final = RecentReadings(size=_CACHED_READINGS)


class ReadQuestions:
    """What this process has cached of recent questions, whoever asked them."""

    def forget(self, owner_id: UUID) -> None:  # noqa: ARG002  # nobody knows whose they are
        """Drop all questions; see `OwnerCache.forget`."""
        for read in (words_of_question, spoken_words, data_phrase, read_refinement, _is_complete):
            read.cache_clear()
        _recent_readings.clear()


def rule_candidate(
    question: str, history: Sequence[HistoryMessage], language: str
) -> Proposal | None:
    """What exact rules make of a question: another one changed, or an item of a list named.

    None where they do not apply. A question that was itself a fragment is completed first, up to
    the last question that was asked in full.
    """
    if not history or len(question) > _LONGEST_TEXT:
        return None
    return _recent_readings.get_or_read(question, _last_exchanges(history), language, _candidate)


def _last_exchanges(history: Sequence[HistoryMessage]) -> Sequence[HistoryMessage]:
    """The last questions with their answers: no rule reads more."""
    questions = 0
    for place in range(len(history) - 1, -1, -1):
        questions += history[place].role is Role.USER
        if questions == _CHAIN:
            return history[place:]
    return history


def _candidate(question: str, history: Sequence[HistoryMessage], language: str) -> Proposal | None:
    known = words_for(language)
    change = read_refinement(question, known)
    if change is None:
        by_item = item_candidate(question, history, known)
        return (
            by_item
            or last_question_candidate(question, history, known, language)
            or _by_fragment(question, history, known, language)
            or data_pointer_candidate(question, history, known, language)
            or counterpart_candidate(question, history, known)
        )
    if asks_back(history) and not change.is_opened:
        return None  # "1971" after a question of the assistant's is an answer to that
    is_by_words = change.part in {Part.WITHOUT, Part.ORDER, Part.ONLY}
    by_words = _by_fragment(question, history, known, language) if is_by_words else None
    return (
        by_words
        or _by_refinement(change, history, known, language)
        or _by_fragment(question, history, known, language)
        or counterpart_candidate(question, history, known)
    )


def _by_refinement(
    change: Refinement, history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> Proposal | None:
    changes: list[Refinement] = [change]
    questions = [(n, message) for n, message in enumerate(history) if message.role is Role.USER]
    for place, earlier in reversed(questions[-_CHAIN:]):
        text = without_chit_chat(earlier.content[:_LONGEST_TEXT], language)
        if _is_complete(text, known):
            answer = next(iter(history[place + 1 : place + 2]), None)
            return _changed(text, changes, known, answer=answer)
        earlier_change = read_refinement(text, known)
        if earlier_change is None:
            return None
        changes.append(earlier_change)
    return None


def _by_fragment(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> Proposal | None:
    """The last question to data, changed by words that a fragment shares with it."""
    asked = [(n, message) for n, message in enumerate(history) if message.role is Role.USER]
    if not asked or not known.extremes or asks_back(history):
        return None
    place, last = asked[-1]
    text = without_chit_chat(last.content[:_LONGEST_TEXT], language)
    answer = next(iter(history[place + 1 : place + 2]), None)
    if not _is_complete(text, known) or not is_data_question(text, answer, known):
        return None
    changed = changed_by_fragment(text, question, known)
    if changed is None or changed == text:
        return None
    return Proposal(
        standalone_question=changed,
        need=_NEED,
        confidence=_CONFIDENCE_OF_FRAGMENTS,
        explanations=(_explained(text, changed),),
    )


def is_data_talk(history: Sequence[HistoryMessage], known: LanguageWords) -> bool:
    """Whether the last question was one to data."""
    place = next((n for n in range(len(history) - 1, -1, -1) if history[n].role is Role.USER), None)
    if place is None:
        return False
    answer = next(iter(history[place + 1 : place + 2]), None)
    return is_data_question(history[place].content[:_LONGEST_TEXT], answer, known)


def with_complete_questions(
    history: Sequence[HistoryMessage], language: str
) -> list[HistoryMessage]:
    """A history whose last fragments are the questions that the rules make of them."""
    completed = list(history)
    for place in range(max(0, len(completed) - _RECENT), len(completed)):
        message = completed[place]
        if message.role is Role.USER:
            proposal = rule_candidate(message.content, completed[:place], language)
            if proposal is not None and not is_chit_chat(message.content, language):
                completed[place] = replace(message, content=proposal.standalone_question)
    return completed


def asks_back(history: Sequence[HistoryMessage]) -> bool:
    """Whether the last message is a reply that asks something."""
    return bool(history) and history[-1].role is Role.ASSISTANT and "?" in history[-1].content


@lru_cache(maxsize=_CACHED_QUESTIONS)
def _is_complete(question: str, known: LanguageWords) -> bool:
    """Whether a question says what it asks about, in one sentence."""
    if len(question) >= _LONGEST_TEXT or "\n" in question or _SENTENCE_END.search(question):
        return False
    words = spoken_words(question)
    change = read_refinement(question, known)
    is_limit = change is not None and change.part is Part.LIMIT
    is_request = is_limit and starting_phrase(words, known.data_questions) > 0
    if not _COMPLETE <= len(words) <= _LONGEST or (change is not None and not is_request):
        return False  # "Show me the top 5 customers" is complete, "the top 5 please" is not
    pointers = (n for n, word in enumerate(words) if word in known.pointers)
    if not all(_means_own_word(words, place, known) for place in pointers):
        return False
    return not starting_phrase(words, known.openers)


def _means_own_word(words: Sequence[str], place: int, known: LanguageWords) -> bool:
    """Whether a pointer means a word of its own question: "cars that won", "are there"."""
    word, before = words[place], words[place - 1] if place else ""
    if not before or not known.extremes:
        return False
    if word == known.that:
        is_relative = before not in known.small_words | known.requests
        return is_relative and words[place + 1 : place + 2] != ()
    if word == known.those and words[place + 1 : place + 2] == (known.who,):
        return True
    is_one_of = word in known.item_words and words[0] in known.among  # "of the boats, … the one"
    if (before, word) in known.there_are or is_one_of:
        return True
    is_subject = before not in known.small_words and place + 1 < len(words)  # "courses they teach"
    return (word in known.row_possessives or is_subject) and is_bound(words, place, known)


def _changed(
    question: str,
    changes: Sequence[Refinement],
    known: LanguageWords,
    *,
    answer: HistoryMessage | None,
) -> Proposal | None:
    """A question after all changes, of which the newest stands first."""
    is_data = is_data_question(question, answer, known)
    sql = answer.sql_query if answer is not None else None
    values = _QUOTED.findall(sql[:_LONGEST_SQL])[:_MOST_VALUES] if sql else []
    text: str | None = question
    for change in reversed(changes):
        if text is not None:
            refined = refine(text, change, known, values=values, is_data=is_data)
            text = refined and with_number(text, refined, known)
    if text is None or text == question:
        return None
    are_values = all(change.part is Part.VALUE for change in changes)
    return Proposal(
        standalone_question=text,
        need=_NEED,
        confidence=_CONFIDENCE_OF_VALUES if are_values else _CONFIDENCE,
        explanations=(_explained(question, text),),
    )


def _explained(question: str, changed: str) -> str:
    """What a changed question has in the place of what the last one had, or beside it."""
    old, new = ([w.text for w in words_of(text) if not w.is_sign] for text in (question, changed))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    old, new = old[same:], new[same:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    if not old:
        return f'the last question, with "{" ".join(new)}"'
    return f'"{" ".join(new)}" takes the place of "{" ".join(old)}"'
