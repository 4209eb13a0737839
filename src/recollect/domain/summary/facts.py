"""Keeping the facts that no summary may lose: names, figures and stated wishes.

Five languages are read: English, Dutch, German, French and Spanish. Facts are compared without
regard to case, accents, endings and the format of numbers and dates.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from recollect.domain.followup.languages import words_for
from recollect.domain.language import common_words, fold, guess_language, is_common_word
from recollect.domain.recall.dates import DATES
from recollect.domain.summary.extractive import (
    Count,
    Utterance,
    cut_to_fit,
    read_conversation,
    read_summary,
)
from recollect.domain.summary.sentences import split_sentences

_READ: Final = 20_000
"""Characters of a text that are read; a summary has fewer."""
_TOKEN: Final = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f]\d{3}(?!\d))++[\d.,]*+"  # 1 250,00
    r"|\d[\d.,'\u2019]*+|[^\W\d_][\w.@&'\u2019-]*+|[\"“”«»„]"
)
_MARKS: Final = ".,'\u2019-"
_NO_CENTS: Final = re.compile(r"[.,]0{1,2}$")
_QUOTE_MARKS: Final = frozenset('"“”«»„')
_LONGEST_QUOTED: Final = 5
_POSSESSIVES: Final = ("'s", "\u2019s", "'", "\u2019")
_ENDINGS: Final = ("ing", "es", "en", "ed", "er", "s", "e")
_SHORTEST_STEM: Final = 4
_KEPT_OF_WISH: Final = 0.6
_KEPT_PART: Final = 0.5
"""How much of a summary sentences kept from before may take."""
_MOST_SENTENCES: Final = 400
_USERS_OWN: Final = 5.0
_SMALLEST_NUMBER: Final = 2  # "one" and "a" say little


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


_USER_LABELS: Final = frozenset(["user", "gebruiker", "benutzer", "utilisateur", "usuario"])
_USERS: Final = _folded(" ".join(_USER_LABELS))
_WISHES: Final = _folded(
    """prefer prefers preferred preference want wants wanted wish wishes like likes
    love loves hate hates dislike dislikes always never rather avoid favourite favorite
    wil wilt willen graag liever voorkeur nooit altijd haat lievelings
    möchte möchten will lieber bevorzugt bevorzuge mag immer nie niemals wünscht
    préfère préfères préférer veut veux voudrait voudrais aime toujours jamais souhaite
    prefiere prefiero quiere quiero gusta gustan gustaría siempre nunca desea deseo"""
)
_SPEAKING: Final = _USERS | _folded(
    """i my mine we our ik mijn wij onze ich mein meine meinen meinem meiner
    wir unser unsere je j m mon ma mes nous notre nos yo mi mis llamo tengo soy nosotros nuestro
    nuestra"""
)
"""Words by which users speak of themselves, or a summary of its user; not "show me"."""
_BEING: Final = _folded("is am was ben bin ist suis est soy es i'm")
"""Words between users and what they say they are."""
_NAMING: Final = _folded("heiße heißt name namens bin firma laden herr frau genannt in aus bei")
"""German words before a name; every other noun has a capital there, too."""
_LABELS: Final = _folded(
    """user assistant gebruiker assistent benutzer utilisateur usuario the de der
    die das le la les el los las i ik ich je yo"""
)
_STARTS: Final = _folded(
    """is has owns runs works lives wants likes prefers asked and
    heeft werkt woont wil vroeg en ist hat arbeitet wohnt möchte fragte und
    est a travaille habite veut aime et es tiene trabaja vive quiere y"""
)
"""Words after the first word of a sentence that make it likely to be a name."""
_NUMBERS: Final = {
    word: number
    for words in DATES.values()
    for word, number in words.numbers.items()
    if number >= _SMALLEST_NUMBER
}
_MONTHS: Final = {word: number for words in DATES.values() for word, number in words.months.items()}


class FactKind(StrEnum):
    """What a fact is."""

    NAME = "name"
    FIGURE = "figure"
    WISH = "wish"


_WORTH: Final = {FactKind.WISH: 3.0, FactKind.NAME: 2.0, FactKind.FIGURE: 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that a sentence states, as the stems or figures it is recognised by."""

    kind: FactKind
    terms: frozenset[str]

    def is_in(self, terms: frozenset[str]) -> bool:
        """Whether a text with these terms states it, too; of a wish most of its words."""
        needed = _KEPT_OF_WISH if self.kind is FactKind.WISH else 1
        return len(self.terms & terms) >= needed * len(self.terms)


def terms_of(text: str) -> frozenset[str]:
    """Return the stems and figures in the first 20,000 characters of a text."""
    tokens = _tokens(text[:_READ])
    stems = (_stem(token) for token in tokens if not token[0].isdigit())
    return frozenset(stems) | {figure for token in tokens for figure in _figures(token)}


def is_about_user(sentence: str) -> bool:
    """Tell whether users speak of themselves there, or a summary speaks of its user."""
    return any(_first_part(token) in _SPEAKING for token in _tokens(sentence))


def facts_of(sentence: str, *, language: str | None) -> frozenset[Fact]:
    """Return the names, figures and wishes of one sentence.

    What users say they are counts as a wish. A number in words is a figure where it is about
    the user: "two ways to do it" is none.
    """
    tokens = _tokens(sentence)
    counted = tokens if is_about_user(sentence) else [t for t in tokens if t[0].isdigit()]
    figures = (figure for token in counted for figure in _figures(token))
    facts = {Fact(kind=FactKind.FIGURE, terms=frozenset([figure])) for figure in figures}
    names = _names(tokens, language=language or "en")
    facts |= {Fact(kind=FactKind.NAME, terms=frozenset([_stem(name)])) for name in names}
    is_wish = any(fold(token) in _WISHES for token in tokens) or _says_what_user_is(tokens)
    if is_wish and (wished := _wished(tokens)):
        facts.add(Fact(kind=FactKind.WISH, terms=wished))
    return frozenset(facts)


def _tokens(text: str) -> list[str]:
    stripped = (token.strip(_MARKS) or token for token in _TOKEN.findall(text))
    return [token for token in stripped if token]


def _figures(token: str) -> Iterator[str]:
    """A number's digits without separators and cents, a number word's, or a month's."""
    if token[0].isdigit():
        digits = "".join(filter(str.isdecimal, _NO_CENTS.sub("", token)))
        yield digits.lstrip("0") or "0"
        return
    folded = fold(token)
    number = _NUMBERS.get(folded) or _MONTHS.get(folded)
    if number is not None:
        yield str(number)


def _says_what_user_is(tokens: Sequence[str]) -> bool:
    if any(fold(token) in {"i'm", "soy"} for token in tokens):
        return True
    return any(
        _first_part(one) in _SPEAKING and fold(two) in _BEING for one, two in pairwise(tokens)
    )


def _first_part(token: str) -> str:
    """The word before an apostrophe: "the user's", "j'ai"."""
    return fold(token.replace("\u2019", "'").partition("'")[0])


def _names(tokens: Sequence[str], *, language: str) -> Iterator[str]:
    words = [token for token in tokens if token not in _QUOTE_MARKS]
    common = common_words(language)
    yield from (token for token in _quoted(tokens) if token.lower() not in common)
    for place, token in enumerate(words):
        first, dot, second = token.partition(".")
        is_dotted = bool(dot) and not token[0].isdigit() and min(len(first), len(second)) > 1
        is_exact = "_" in token or "@" in token or is_dotted
        if is_exact or _is_name(words, place, is_german=language == "de"):
            yield token


def _quoted(tokens: Sequence[str]) -> Iterator[str]:
    marks = [place for place, token in enumerate(tokens) if token in _QUOTE_MARKS]
    for start, end in zip(marks[::2], marks[1::2], strict=False):
        inside = tokens[start + 1 : end]
        if 0 < len(inside) <= _LONGEST_QUOTED:
            yield from (token for token in inside if not token[0].isdigit())


def _is_name(words: Sequence[str], place: int, *, is_german: bool) -> bool:
    token = words[place]
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if not _is_part_of_name(token) or fold(token) in _MONTHS:
        return False
    in_a_row = _is_part_of_name(before) or _is_part_of_name(after)
    if is_german:
        return in_a_row or fold(before) in _NAMING
    return place > 0 or in_a_row or fold(after) in _STARTS


def _is_part_of_name(token: str) -> bool:
    return not is_common_word(token) and fold(token) not in _LABELS and token[:1].isupper()


def _wished(tokens: Sequence[str]) -> frozenset[str]:
    words = (token for token in tokens if token not in _QUOTE_MARKS and not token[0].isdigit())
    content = (word for word in words if not is_common_word(word))
    folded = {fold(word) for word in content} - _WISHES - _LABELS - _USERS
    return frozenset(map(_stem, folded))


def _stem(word: str) -> str:
    """A word without case, accents and its commonest ending; short ones stay whole."""
    stem = fold(word)
    if stem.endswith(_POSSESSIVES):
        stem = stem.rstrip("'\u2019").removesuffix("'s").removesuffix("\u2019s")
    for _ in range(2):  # an answer's "workings"
        if not stem.endswith(_ENDINGS):
            break
        ending = next(end for end in _ENDINGS if stem.endswith(end))
        if len(stem) - len(ending) >= _SHORTEST_STEM:
            stem = stem.removesuffix(ending)
    return stem


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence with its facts, and its place among all sentences."""

    place: int
    line: str
    facts: frozenset[Fact]
    is_users: bool
    """Whether a user speaks, or it is about the user."""
    is_asking: bool
    """Whether it is a question or a request, which states nothing."""

    @property
    def is_stated(self) -> bool:
        """Whether it states facts of the user's own."""
        return self.is_users and not self.is_asking and bool(self.facts)

    def lost_in(self, terms: frozenset[str]) -> frozenset[Fact]:
        return frozenset(fact for fact in self.facts if not fact.is_in(terms))


def keep_facts(
    summary: str, *, earlier: str, utterances: Sequence[Utterance] = (), limit: int, count: Count
) -> str:
    """Return the summary, after sentences with the facts that it has lost, within the limit.

    Facts are the names, figures and wishes of the earlier summary, and those that users stated
    without asking for anything. Sentences kept take at most half of the limit. Where they need
    more, those about the user stay before others, wishes and names before mere figures, and of
    equals the newer one. A summary too long after that loses its oldest sentences, so that
    summaries never grow.
    """
    language = guess_language(earlier)
    before = [
        _sentence(candidate.line, place - _MOST_SENTENCES, language)
        for place, candidate in enumerate(read_summary(earlier).candidates)
    ]
    sentences = [*before, *_stated(utterances)][-_MOST_SENTENCES:]
    if not sentences:
        return summary
    terms = terms_of(summary)
    lost = [sentence for sentence in sentences if sentence.lost_in(terms)]
    if not lost:
        return summary
    chosen = _within(lost, terms, limit=int(limit * _KEPT_PART), count=count)
    lines = [sentence.line for sentence in sorted(chosen, key=lambda one: one.place)]
    room = limit - sum(count(f"{line}\n") for line in lines)
    return "\n".join(filter(None, [*lines, _shortened(summary, limit=room, count=count)]))


def _stated(utterances: Sequence[Utterance]) -> Iterator[_Sentence]:
    spoken = [utterance for utterance in utterances if utterance.speaker.lower() in _USER_LABELS]
    language = guess_language(utterance.text for utterance in spoken)
    for place, candidate in enumerate(read_conversation(spoken).candidates):
        if _is_question(candidate.line):
            continue
        sentence = _sentence(candidate.line, place, language)
        if sentence.is_stated:
            yield sentence


def _sentence(line: str, place: int, language: str | None) -> _Sentence:
    label, _, rest = line.partition(": ")
    is_users = label.lower() in _USER_LABELS
    text = rest if is_users else line  # the label itself says nothing
    facts = facts_of(text, language=language)
    has_wish = any(fact.kind is FactKind.WISH for fact in facts)
    return _Sentence(
        place=place,
        line=line,
        facts=facts,
        is_users=is_users or is_about_user(text),
        is_asking=_is_question(text) or (not has_wish and _is_request(text, language)),
    )


def _is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


def _is_request(text: str, language: str | None) -> bool:
    """Whether it opens as in "Show me …", which states nothing."""
    first = text.split(maxsplit=1)[:1]
    opening = first[0].strip(",.").lower() if first else ""
    return opening in words_for(language or "en").requests


def _within(
    lost: Sequence[_Sentence], terms: frozenset[str], *, limit: int, count: Count
) -> list[_Sentence]:
    """The sentences worth most that fit, each judged by what it adds to those before it."""
    chosen: list[_Sentence] = []
    covered, room = terms, limit
    for sentence in sorted(lost, key=lambda one: (_worth(one, terms), one.place), reverse=True):
        size = count(f"{sentence.line}\n")
        if size > room or not sentence.lost_in(covered):
            continue
        chosen.append(sentence)
        covered = covered.union(*(fact.terms for fact in sentence.facts))
        room -= size
    return chosen


def _worth(sentence: _Sentence, terms: frozenset[str]) -> float:
    kinds = {fact.kind for fact in sentence.lost_in(terms)}
    return sum(_WORTH[kind] for kind in kinds) + _USERS_OWN * sentence.is_stated


def _shortened(summary: str, *, limit: int, count: Count) -> str:
    """As much of the new text as there is room for, in whole sentences.

    The oldest go first; facts of the user go last.
    """
    if count(summary) <= limit:
        return summary
    language = guess_language(summary)
    sentences = [_sentence(s, n, language) for n, s in enumerate(split_sentences(summary))]
    protected = {one.place for one in sentences if one.is_stated}
    chosen: set[int] = set()
    room = limit
    for one in sorted(sentences, key=lambda one: (one.place in protected, one.place), reverse=True):
        size = count(f"{one.line}\n")
        if size > room:
            break
        room -= size
        chosen.add(one.place)
    between = "\n" if "\n" in summary else " "
    text = between.join(one.line for one in sentences if one.place in chosen)
    return text or cut_to_fit(summary, limit=limit, count=count)
