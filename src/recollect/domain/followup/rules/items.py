"""Items of a list in the last reply: "the second one", or all of them: "Which is cheaper?"."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.domain.followup.rules.lists import item_titles

_LONGEST_QUESTION: Final = 30  # words
_LONGEST_TITLE: Final = 5  # words; more are a sentence
_READ_CHARACTERS: Final = 4000  # of the reply
_LONGEST_COMPARISON: Final = 6  # words after "which"
_MOST_COMPARED: Final = 5
_NEED: Final = 0.95
_CONFIDENCE: Final = 0.85


def item_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords
) -> Proposal | None:
    """The question with the items of a list that it means; None where that is not certain."""
    words = words_of(question)
    if len(words) > _LONGEST_QUESTION or not history or history[-1].role is not Role.ASSISTANT:
        return None
    if _is_comparison(spoken_words(question), known):
        is_data = history[-1].sql_query is not None  # of its rows one figure is compared
        return None if is_data else _compared(question, words, history[-1].content, known)
    return _named(question, words, history[-1].content, known)


def _is_comparison(texts: Sequence[str], known: LanguageWords) -> bool:
    """Whether a question asks which, and has no noun that says which what."""
    length = starting_phrase(texts, known.which)
    rest = texts[length:]
    if starting_phrase(texts, known.idioms):
        return False  # "which is nice" is a remark
    if not length or not 1 < len(rest) <= _LONGEST_COMPARISON or rest[0] not in known.small_words:
        return False
    return known.pointers.isdisjoint(rest) and len(set(rest) - known.small_words) == 1


def _compared(
    question: str, words: Sequence[Word], reply: str, known: LanguageWords
) -> Proposal | None:
    """The question with all items, of which there are a few."""
    titles = item_titles(reply[:_READ_CHARACTERS])
    if not 1 < len(titles) <= _MOST_COMPARED or not all(map(_is_name, titles)):
        return None
    names = f"{', '.join(titles[:-1])} {known.or_word} {titles[-1]}"
    last = next(word for word in reversed(words) if not word.is_sign)
    return Proposal(
        standalone_question=f"{question[: last.end]}: {names}{question[last.end :].rstrip()}",
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'completed with "{names}"',),
        topic=names,
    )


def _named(
    question: str, words: Sequence[Word], reply: str, known: LanguageWords
) -> Proposal | None:
    """The question with the item that its only ordinal names."""
    ordinals = _places_of_ordinals(known)
    places = [n for n, word in enumerate(words) if word.text.lower() in ordinals]
    if len(places) != 1:
        return None
    place = places[0]
    number = ordinals[words[place].text.lower()]
    last = place + _has_item_word(words, place + 1, known)
    if not _stands_alone(words, place, last, known):
        return None
    titles = item_titles(reply[:_READ_CHARACTERS])
    title = titles[number] if number < len(titles) and titles else ""
    if not _is_name(title):
        return None
    first = place - (words[place - 1].text.lower() in known.articles)
    is_statement = first == 0 or words[0].text.lower() in known.statement_words
    if is_statement and "?" not in question:
        return None  # "I like the second one", "The last one was fine"
    others = {word.text.lower() for word in (*words[:first], *words[last + 1 :])}
    if not known.pointers.isdisjoint(others):
        return None  # would not stand alone
    pointer = question[words[first].start : words[last].end]
    return Proposal(
        standalone_question=question[: words[first].start] + title + question[words[last].end :],
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'"{pointer}" stands for "{title}"',),
        topic=title,
    )


@cache
def _places_of_ordinals(known: LanguageWords) -> dict[str, int]:
    """Which item each ordinal names, counted from 0; -1 for the last one."""
    ordinals = ((form, n) for n, forms in enumerate(known.ordinals) for form in forms)
    return dict(ordinals) | dict.fromkeys(known.last_words, -1)


def _is_name(title: str) -> bool:
    words = title.split()
    return 0 < len(words) <= _LONGEST_TITLE and any(word[0].isalpha() for word in words[:1])


def _has_item_word(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    return place < len(words) and words[place].text.lower() in known.item_words


def _stands_alone(words: Sequence[Word], place: int, last: int, known: LanguageWords) -> bool:
    """Whether an ordinal has an article and no noun: not "at first" or "the second half"."""
    before = words[place - 1].text.lower() if place else ""
    if before not in known.articles | known.contractions:
        return False
    following = words[last + 1] if last + 1 < len(words) else None
    is_named = last > place
    return (
        is_named
        or following is None
        or following.is_sign
        or following.text.lower() in known.small_words
    )
