"""Fragments that ask for something else of the same rows: "show the price", "and the weight?"."""

from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import Final

from recollect.domain.followup.data_questions.changing.changes import CLAUSE_SIGNS, Change
from recollect.domain.followup.data_questions.endings import is_participle, singular
from recollect.domain.followup.data_questions.nouns import DataPhrase, all_of
from recollect.domain.followup.data_questions.phrases import data_phrase
from recollect.domain.followup.edits import Word, spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_LONGEST_NOUN: Final = 7  # words


def other_measure(change: Change) -> str | None:
    """As "Show the weight" after "What was the price of the catch in Hull?"."""
    known = change.known
    lead, noun = _asked_for(change)
    is_adding = lead.split(" ")[0].lower() in known.adding_words and not change.is_addition
    if (
        is_adding
        or change.is_correction
        or not (lead or change.is_asked)
        or not _is_noun_phrase(change, noun)
    ):
        return None
    is_person = spoken_words(lead)[:1] == (known.who,)
    if not known.row_pointers.isdisjoint(change.old) or is_person:
        return None
    if lead and not _belongs(change, noun):
        return None  # "What is the refund policy?" stands alone
    head = _head(change)
    if head is not None:
        return _with_head(change, lead, noun, head)
    phrase = data_phrase(change.text, known)
    if phrase is None or not phrase.is_restricted or not lead or _figures(change, noun):
        return None
    return f"{lead} {_text(change, noun)} {known.of_word} {phrase.owner}{_end(change, lead)}"


def _belongs(change: Change, noun: Sequence[Word]) -> bool:
    """Whether a question with a verb of its own is certainly about the rows of the last one.

    It says that it adds to that or replaces a part of it, asks for a property that all things
    have, or has a noun of the last question.
    """
    known = change.known
    marks = known.only_words | {known.instead_word}
    is_marked = change.is_addition or not marks.isdisjoint(spoken_words(change.fragment))
    names = {singular(word.text.lower()) for word in noun} - known.articles
    small = known.small_words | known.requests | known.figures
    old = {singular(word) for word in change.old if word not in small}
    is_property = noun[-1].text.lower() in known.properties
    return is_marked or is_property or _figures(change, noun) or not names.isdisjoint(old)


def _figures(change: Change, noun: Sequence[Word]) -> bool:
    """Whether a noun phrase is nothing but a figure: "the average"."""
    rest = change.known.articles | {change.known.and_word, ","}
    return change.known.figures | rest >= {word.text.lower() for word in noun}


def _asked_for(change: Change) -> tuple[str, Sequence[Word]]:
    """How a fragment asks, and the noun phrase that it asks for."""
    known, body = change.known, change.body
    lower = list(change.new)
    length = max(
        starting_phrase(lower, known.data_requests), starting_phrase(lower, known.data_copulas)
    )
    lead = change.said(0, length) if length else ""
    rest = list(body[length:])
    marks = known.additions | known.only_words | {known.instead_word}
    while rest and rest[-1].text.lower() in marks | CLAUSE_SIGNS:
        rest.pop()
    while rest and rest[0].text.lower() in marks:
        rest.pop(0)
    lead = " ".join(word for word in lead.split() if word.lower() not in marks)
    return (lead[:1].upper() + lead[1:], rest)


def _is_noun_phrase(change: Change, noun: Sequence[Word]) -> bool:
    """Whether words name properties, and neither a value nor a clause."""
    known = change.known
    texts = [word.text.lower() for word in noun]
    if not texts or any(word.text[0].isdigit() or word.text[0].isupper() for word in noun):
        return False
    joints = {known.and_word, ","}
    allowed = known.articles | joints | {"'", "\u2019"}
    names = [word for word in texts if word not in allowed]
    is_list = bool(joints & set(texts)) and not change.is_opened
    is_definite = texts[0] == known.the or is_list or change.is_listed
    return (
        0 < len(names) <= _LONGEST_NOUN
        and is_definite
        and _no_nouns(known).isdisjoint(names)
        and all(word.isalnum() or word in allowed for word in texts)
        and not (_extremes(names, known) and _extremes(change.old, known))
    )


@cache
def _no_nouns(known: LanguageWords) -> frozenset[str]:
    verbs = known.auxiliaries | known.helping_verbs | known.ordering_rest
    return known.small_words | known.prepositions | known.pointers | verbs | known.number_words


def _extremes(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether something is compared with all others: "the cheapest"."""
    extremes, endings = known.extremes - known.figures, tuple(known.superlative_endings)
    return any(word in extremes or word.endswith(endings) for word in words)


def _head(change: Change) -> tuple[int, int] | None:
    """First and last word of the property that a question asks for: "the score" of "in …"."""
    known, old = change.known, change.old
    length = max(
        starting_phrase(old, known.data_requests), starting_phrase(old, known.data_copulas)
    )
    starts = known.prepositions | known.conditions | known.restrictions
    place = next((n for n in range(length, len(old)) if old[n] in starts), len(old))
    if not length or not length < place < len(old):
        return None
    head = old[place - 1]
    if starting_phrase(old, known.counts, start=length):
        return _counted_head(change, length)
    if is_participle(head, change.known):
        return None  # "the boats built in 1990"
    is_property = head in known.properties or singular(head) == head
    is_listed = not {",", known.and_word}.isdisjoint(old[length:place])
    is_owner = old[place] in known.owner_prepositions
    return (length, place - 1) if is_property or is_listed or is_owner else None


def _counted_head(change: Change, first: int) -> tuple[int, int] | None:
    """As "the number of boats" of "the number of boats for each skipper"."""
    known, old = change.known, change.old
    each = next((n for n in range(first, len(old)) if old[n] in known.each), 0)
    is_group = each > first + 1 and old[each - 1] in known.owner_prepositions - {known.of_word}
    return (first, each - 2) if is_group else None


def _of_all(change: Change, last: int) -> str:
    """What follows the property, for one figure: "of the boats" for "of each boat"."""
    known = change.known
    rest = change.text[change.words[last].end :].rstrip("?.! ")
    preposition, _, rows = rest.strip().partition(" ")
    is_each = rows.split(" ")[0].lower() in known.each
    counts = {phrase[-2] for phrase in known.counts if phrase[-1] == known.of_word}
    had_figure = not (known.figures | counts).isdisjoint(change.old[: last + 1])
    rows_of_all = all_of(rows, known) if is_each and not had_figure else None
    return f" {preposition} {rows_of_all}" if rows_of_all else rest


def _with_head(
    change: Change, lead: str, noun: Sequence[Word], head: tuple[int, int]
) -> str | None:
    known, (first, last) = change.known, head
    said = _text(change, noun)
    small = known.small_words | known.prepositions
    restrictions = set(change.old[last + 1 :]) - small
    if not lead and not restrictions.isdisjoint(word.text.lower() for word in noun):
        return None  # names one of the restrictions
    if change.old[first : last + 1] == [word.text.lower() for word in noun]:
        return None
    if _figures(change, noun):
        return _with_figure(change, said, head)
    if change.is_addition:
        has_figure = not known.figures.isdisjoint(change.new)
        joined = f"{change.words[last].text} {known.and_word} {said}"
        return None if has_figure else change.with_words(last, last, joined)
    if change.old[first] in known.articles and noun[0].text.lower() not in known.articles:
        said = f"{change.words[first].text} {said}"
    if not lead:
        return change.with_words(first, last, said)
    has_figure = not known.figures.isdisjoint(word.text.lower() for word in noun)
    rest = change.text[change.words[last].end :].rstrip("?.! ")
    return f"{lead} {said}{_of_all(change, last) if has_figure else rest}{_end(change, lead)}"


def more_rows(change: Change) -> str | None:
    """As "also include boats that sail to Dover" after "Which boats sail to Hull?".

    What both have is said once: "Which boats sail to Hull or Dover?".
    """
    known = change.known
    _, noun = _asked_for(change)
    phrase = data_phrase(change.text, known)
    if phrase is None or not noun or not known.row_pointers.isdisjoint(change.old):
        return None
    if noun[0].text.lower() in known.row_determiners:  # "also those in 2015"
        return _more_of_them(change, noun[1:], phrase)
    asks = noun[0].text.lower() in known.wh_openers
    if asks or any(word.text.lower() in known.row_pointers for word in noun):
        return None
    said = [word for word in noun if word.text.lower() not in known.determiners]
    same = _common(said, phrase.owner, known)
    ends = change.text.rstrip("?.! ").endswith(phrase.owner.rsplit(" ", 1)[-1])
    starts = known.restrictions | known.prepositions | known.auxiliaries
    shared = [word.text.lower() for word in said[: same + 1]]
    is_same_noun = not starts.isdisjoint(shared[1:])  # "boat sheds" are no "boat crews"
    return _joined(change, said[same:]) if ends and is_same_noun and 0 < same < len(said) else None


def _more_of_them(change: Change, said: Sequence[Word], phrase: DataPhrase) -> str | None:
    if said and said[0].text.lower() == change.known.that and phrase.predicate:
        same = _common(said[1:], phrase.predicate, change.known)
        return _joined(change, said[1 + same :]) if same + 1 < len(said) else None
    first = said[0].text.lower() if len(said) > 1 else ""
    is_parallel = first in change.known.restrictions and first in change.old
    return _joined(change, said) if is_parallel else None


def _common(words: Sequence[Word], text: str, known: LanguageWords) -> int:
    """How many words both begin with."""
    old = [word.text.lower() for word in words_of(text)]
    old = [word for word in old if word not in known.determiners]
    pairs = zip((word.text.lower() for word in words), old, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _joined(change: Change, rest: Sequence[Word]) -> str:
    return change.appended(f" {change.known.or_word} {_text(change, rest)}")


def _with_figure(change: Change, figure: str, head: tuple[int, int]) -> str | None:
    """The question with another figure of the same: "and the median?"."""
    first, last = head
    places = [n for n in range(first, last + 1) if change.old[n] in change.known.figures]
    if not places and not change.is_addition:
        return _with_new_figure(change, figure, head)
    if len(places) != 1 or change.is_addition or places[0] == last:
        return None
    begin = places[0] - (change.old[places[0] - 1] in change.known.articles)
    return change.with_words(begin, places[0], figure)


def _with_new_figure(change: Change, figure: str, asked: tuple[int, int]) -> str | None:
    """The question for one figure of what it asked for: "Give me the average"."""
    known, (first, last) = change.known, asked
    words = [word for word in figure.split() if word.lower() not in known.articles]
    if len(words) != 1 or words[0].lower() in known.extremes - known.averages:
        return None
    has_article = change.old[first] in known.articles
    head = change.words[first + has_article].text
    of = f" {known.of_word} {known.the}" if words[0].lower() in known.figure_of else ""
    text = f"{known.the} {words[0].lower()}{of} {head}"
    if first + has_article < last:
        return change.with_words(first, first + has_article, text)
    signs = change.text[len(change.text.rstrip("?.! ")) :]
    return f"{change.text[: change.words[first].start]}{text}{_of_all(change, last)}{signs}"


def _text(change: Change, noun: Sequence[Word]) -> str:
    return change.fragment[noun[0].start : noun[-1].end]


def _end(change: Change, lead: str) -> str:
    last = change.fragment.rstrip()[-1:]
    if last in CLAUSE_SIGNS:
        return last
    words = [word.text.lower() for word in words_of(lead)]
    return "?" if starting_phrase(words, change.known.data_copulas) else ""
