"""What users state of themselves: facts, wishes and decisions, also beside a question."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from recollect.domain.followup.chit_chat import is_chit_chat
from recollect.domain.followup.languages import words_for
from recollect.domain.language import fold, is_common_word
from recollect.domain.summary.facts import (
    SURE_WISH,
    Fact,
    FactKind,
    facts_of,
    first_part,
    has_phrase,
    is_about_user,
    terms_of,
    tokens_of,
    wish_of,
    wish_strength,
)
from recollect.domain.summary.languages import SummaryWords, labels_of, summary_words

OPEN_QUESTION: Final = 6.0
"""The worth of a question that nobody answered."""
_NAME: Final = 2.0
_FIGURE: Final = 2.0
_NUMBER_WORD: Final = 1.0
_FORM: Final = 4.0
"""The worth of a request about the form of all replies: "Can you use plain words?"."""
_USERS_OWN: Final = 2.0
_BESIDE_A_QUESTION: Final = -0.5
_CLAUSE: Final = 2.0
_TOLD_OTHERWISE: Final = 1.0  # a summary's questions, and figures of answers
_FEWEST_WORDS: Final = 3
_FEWEST_OF_WISH: Final = 2
_AFTER_POSSESSIVE: Final = 2  # "my sister Ann", not "our sales in 2023"
_READ_OF_ANSWER: Final = 300
_WORDS_OF_ANSWER: Final = 30
"""A longer reply answers, even if it begins with "I'm not sure"."""
_QUESTION: Final = re.compile(r"\?[\"'”\u2019)]*$|\uff1f$")
_CLAUSE_END: Final = re.compile(r"[,;:()\u2013\u2014]")
_LABELLED: Final = re.compile(r"([^\W\d_][\w ]{1,30}): ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a sentence states: its facts, and how much a summary needs them."""

    facts: frozenset[Fact]
    is_own: bool = False
    """Whether users speak of themselves."""
    worth: float
    """0 for what states nothing of the user's own: a request, a question, chatter."""


NOTHING: Final = Statement(facts=frozenset(), worth=0.0)


def is_question(text: str) -> bool:
    """Tell whether a text ends as a question."""
    return _QUESTION.search(text.rstrip()) is not None


def is_request(text: str, language: str | None) -> bool:
    """Tell whether a text opens as in "Show me …", which states nothing."""
    first = text.split(maxsplit=1)[:1]
    opening = first[0].strip(",.").lower() if first else ""
    return opening in words_for(language or "en").requests


def is_small_talk(sentence: str, language: str | None) -> bool:
    """Tell whether a sentence only greets, thanks or agrees."""
    return is_chit_chat(sentence, language or "en")


def is_remark(sentence: str, language: str | None) -> bool:
    """Tell whether a sentence says a word or two of its own beside small talk: "Good tips"."""
    small_talk = words_for(language or "en").small_talk
    own = [one for one in tokens_of(sentence) if one.lower() not in small_talk]
    return len(own) < _FEWEST_WORDS and not any(one[0].isdigit() for one in own)


def is_offer(sentence: str, language: str | None) -> bool:
    """Tell whether a sentence of an assistant only offers help: "Let me know if …"."""
    return has_phrase(_plain(sentence), summary_words(language).offers)


def puts_off(answer: str, language: str | None) -> bool:
    """Tell whether a reply leaves a question open: it says "later", or that it does not know."""
    if len(answer.split(maxsplit=_WORDS_OF_ANSWER)) > _WORDS_OF_ANSWER:
        return False
    return has_phrase(_plain(answer[:_READ_OF_ANSWER]), summary_words(language).deferrals)


def read_statement(sentence: str, *, language: str | None) -> Statement:
    """Return what a user states in a sentence.

    A question states something where a clause of it does: "What can I eat, given that I am
    allergic to nuts?"; or where it counts or names what is the user's: "for my three cats". A
    request states a wish where it is about the form of replies: "Can you use plain words?".
    """
    tokens, words = tokens_of(sentence), summary_words(language)
    facts = facts_of(sentence, language=language)
    wish = frozenset([wish_of(sentence, language=language)])
    is_polite = has_phrase(_plain(sentence), words.please)
    if _is_about_form(tokens, language) and (is_polite or _asks(tokens, words)):
        return Statement(facts=facts | wish, worth=_FORM)
    worth = _worth(tokens, facts, words)
    is_own = is_about_user(tokens, words)
    if is_question(sentence):
        if not (_states_in_clause(sentence, words) or _owns_fact(tokens, facts, words)):
            return NOTHING
        worth = max(worth + _BESIDE_A_QUESTION, _CLAUSE)
        return Statement(facts=facts or wish, is_own=is_own, worth=worth)
    if wish_strength(tokens, words) < SURE_WISH and is_request(sentence, language):
        return NOTHING
    if not worth and is_polite:
        return Statement(facts=wish, worth=_CLAUSE)
    return Statement(facts=facts, is_own=is_own, worth=worth)


def open_question(sentence: str, *, language: str | None) -> Statement:
    """Return a question that nobody answered, as a statement of what is still open."""
    facts = facts_of(sentence, language=language)
    content = wish_of(sentence, language=language)
    return Statement(facts=facts | ({content} if content.terms else set()), worth=OPEN_QUESTION)


def read_told_statement(line: str, *, language: str | None) -> Statement:
    """Return what a line of a summary tells: of its user most of all."""
    label, text = split_label(line)
    if label in _labels("open_question"):
        return open_question(text, language=language)
    statement = NOTHING
    if label not in _labels("assistant"):
        statement = read_statement(text, language=language)
    if statement.worth:
        return statement
    facts = facts_of(text, language=language)
    return Statement(facts=facts, worth=_TOLD_OTHERWISE * bool(facts))


def split_label(line: str) -> tuple[str, str]:
    """Return who speaks in a line of a summary, in small letters, and what; '' for nobody."""
    found = _LABELLED.match(line)
    label = found[1].lower() if found else ""
    known = label in _labels("user") | _labels("assistant") | _labels("open_question")
    return (label, line[found.end() :]) if found and known else ("", line)


@cache
def _labels(role: str) -> frozenset[str]:
    return labels_of(role)


def _plain(text: str) -> str:
    """The words of a text, folded, with one blank between them."""
    return " ".join(fold(token).replace("\u2019", "'") for token in tokens_of(text))


def _worth(tokens: Sequence[str], facts: frozenset[Fact], words: SummaryWords) -> float:
    """How much a summary needs what these tokens state, if they ask nothing."""
    kinds = {fact.kind for fact in facts}
    is_own = is_about_user(tokens, words)
    content = _content_words(tokens)
    if not kinds:
        return _TOLD_OTHERWISE * (is_own and content >= _FEWEST_WORDS)
    figure = _FIGURE if any(token[0].isdigit() for token in tokens) else _NUMBER_WORD
    worth = (
        wish_strength(tokens, words)
        + _NAME * (FactKind.NAME in kinds)
        + figure * (FactKind.FIGURE in kinds)
        + _USERS_OWN * is_own
    )
    is_thin = kinds == {FactKind.WISH} and content < _FEWEST_OF_WISH  # "I'm in", "We agreed"
    return min(worth, _TOLD_OTHERWISE) if is_thin else worth


def _asks(tokens: Sequence[str], words: SummaryWords) -> bool:
    """Whether a sentence opens as in "Can you …"."""
    return bool(tokens) and fold(tokens[0]) in words.asking


def _is_about_form(tokens: Sequence[str], language: str | None) -> bool:
    """Whether a sentence names the form of replies: "words", "paragraphs", "French"."""
    form_words = words_for(language or "en").form_words
    return any(token.lower() in form_words for token in tokens)


def _content_words(tokens: Sequence[str]) -> int:
    return sum(not is_common_word(token) for token in tokens)


def _states_in_clause(sentence: str, words: SummaryWords) -> bool:
    """Whether a clause that asks nothing is about the user, or joined with a figure in it."""
    return any(
        len(clause) >= _FEWEST_WORDS
        and clause[0] not in words.question_openers
        and (
            any(map(words.is_self, clause))
            or (is_joined and any(word[:1].isdigit() for word in clause))
        )
        for clause, is_joined in _clauses(sentence, words)
    )


def _clauses(sentence: str, words: SummaryWords) -> Iterator[tuple[list[str], bool]]:
    """The parts between commas and joining words, folded; and whether a joining word opens each."""
    for part in _CLAUSE_END.split(sentence):
        clause: list[str] = []
        before, is_joined = "", False
        for word in map(first_part, tokens_of(part)):
            if word in words.subordinators or f"{before} {word}" in words.subordinators:
                yield clause, is_joined
                clause, is_joined = [], True
            elif clause or word not in words.conjunctions:
                clause.append(word)
            before = word
        yield clause, is_joined


def _owns_fact(tokens: Sequence[str], facts: frozenset[Fact], words: SummaryWords) -> bool:
    """Whether a name or a figure follows soon after "my"."""
    exact = [fact.terms for fact in facts if fact.kind is not FactKind.WISH]
    terms = frozenset[str]().union(*exact)
    left = 0
    for token in tokens if terms else ():
        if left > 0 and not terms.isdisjoint(terms_of(token)):
            return True
        left = _AFTER_POSSESSIVE if first_part(token) in words.possessives else left - 1
    return False
