"""Names that a question has in part: "How do I reach Aydin?" after "Tarik Aydin"."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords

_LONGEST_QUESTION: Final = 400  # characters
_READ: Final = 2000  # characters of a message
_MESSAGES: Final = 8  # the last ones, beside the first
_SHORTEST: Final = 3  # letters of a name
_WORDS: Final = range(2, 5)  # of a full name
_JOINS: Final = frozenset("-&/")
_NEED: Final = 0.7
_CONFIDENCE: Final = 0.8


def named_in_full(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords
) -> Proposal | None:
    """The question with the full name of somebody whose last name it has.

    None unless it has one such name, and the conversation one person of that name.
    """
    partial = _lone_names(question, known)
    if not partial:
        return None
    words = words_of(question)
    read = (*history[:1], *history[1:][-_MESSAGES:])
    names = {name for message in read for name in _names(message.content[:_READ], known)}
    found = [(words[place], _full_name(words[place].text, names)) for place in partial]
    meant = [(word, full) for word, full in found if full]
    if len(meant) != 1:
        return None
    word, full = meant[0]
    others = {one.text for one in words if one is not word}
    if not others.isdisjoint(full.split()):
        return None  # "Does Maria know Garcia?"
    return Proposal(
        standalone_question=question[: word.start] + full + question[word.end :],
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'"{word.text}" stands for "{full}"',),
        topic=full,
    )


def has_lone_name(question: str, known: LanguageWords) -> bool:
    """Whether a question has what may be somebody's last name alone."""
    return bool(_lone_names(question, known))


def _lone_names(question: str, known: LanguageWords) -> list[int]:
    if len(question) > _LONGEST_QUESTION or not known.never_before_persons:
        return []
    words = words_of(question)
    return [place for place in range(1, len(words)) if _is_lone_name(words, place, known)]


def lists_names(text: str, known: LanguageWords) -> bool:
    """Whether a reply has two full names side by side: "Marloes Kuipers and Tarik Aydin"."""
    text = text[:_READ]
    names = [name.text for name in _names(text, known) if name.is_sure]
    joints = (", ", *(f" {word} " for word in known.joining_words))
    return any(f"{one}{joint}{two}" in text for one, two in pairwise(names) for joint in joints)


def _is_lone_name(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    """Whether a word may be a name without its first part."""
    word = words[place]
    lower = word.text.lower()
    if not _is_capital(word) or word.text.isupper() or len(word.text) < _SHORTEST:
        return False
    if lower in known.small_words | known.months | known.weekdays | known.form_words:
        return False
    before, after = words[place - 1], words[place + 1] if place + 1 < len(words) else None
    if after is not None and (_is_capital(after) or after.text in _JOINS):
        return False
    if place > 1 and words[place - 2].text.lower() in known.possessives:
        return False  # "my son Mario"
    determiners = known.question_words | known.articles | known.determiners
    if before.is_sign or before.text.lower() in known.never_before_persons | determiners:
        return False  # "in Leuven", "Which Bond film"
    return not _is_capital(before) or before.text.lower() in known.small_words


def _is_capital(word: Word) -> bool:
    return word.text[0].isupper()


class _Name(NamedTuple):
    """Words with a capital, one after the other."""

    text: str
    is_sure: bool
    """Whether all of them belong to a name: the first word of a sentence may not."""
    is_title: bool = False
    """Whether it is whom the conversation is about, so that the first name tells as much."""


def _names(text: str, known: LanguageWords) -> Iterator[_Name]:
    """The runs of words with a capital in a text; a title is no sentence: "Jason Kidd: Career"."""
    for line in text.splitlines():
        words = words_of(line)
        start = 0
        while start < len(words):
            end = start
            while end < len(words) and _goes_on(words, start, end):
                end += 1
            if end > start:
                yield from _name(line, words, start, end, known)
            start = max(end, start + 1)


def _name(
    line: str, words: Sequence[Word], start: int, end: int, known: LanguageWords
) -> Iterator[_Name]:
    """The name in a run of words with a capital, without the small words that it begins with."""
    begins = start == 0 or not (words[start - 1].text[0].isalnum() or words[start - 1].text == ",")
    is_title = start == 0 and end < len(words) and words[end].text == ":"
    verbs = known.auxiliaries | known.helping_verbs | known.question_words | known.articles
    first = start
    while first < end and words[first].text.lower() in known.small_words:
        begins = begins and words[first].text.lower() not in verbs  # "In Paris Tom met Ann"
        first += 1
    run = words[first:end]
    if not run:
        return
    lower = {word.text.lower() for word in run}
    no_name = known.name_modifiers | known.months | known.weekdays
    is_name = len(run) in _WORDS and lower.isdisjoint(no_name) and not run[0].text.isupper()
    text = line[run[0].start : run[-1].end]
    yield _Name(text, is_name and (is_title or not begins), is_name and is_title)


def _goes_on(words: Sequence[Word], start: int, place: int) -> bool:
    """Whether a run of capital words goes on, with nothing but a space before its word."""
    is_near = place == start or words[place].start == words[place - 1].end + 1
    return is_near and _is_capital(words[place]) and not words[place].is_sign


def _full_name(part: str, names: set[_Name]) -> str | None:
    """The only full name that has a word as its last name."""
    longer = [name for name in names if name.text != part and part in _short_forms(name)]
    full = {name.text for name in longer if name.is_sure}
    if len(full) != 1:
        return None
    (only,) = full
    return only if all(name.text.endswith(only) for name in longer) else None


def _short_forms(name: _Name) -> tuple[str, ...]:
    words = name.text.split()
    return (words[0], words[-1]) if name.is_title else (words[-1],)
