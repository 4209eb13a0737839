"""A summary made of the conversation's own sentences, with no model and no network."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from recollect.domain.summary.candidates import (
    CandidateSet,
    MessageReader,
    SentenceCandidate,
    Utterance,
    read_conversation,
    read_message,
    read_summary,
)
from recollect.domain.summary.facts import terms_of

SHARE: Final = 0.2
_EXACT_SHARE: Final = 1.1
_MIN_WORDS: Final = 10
_MAX_CONSIDERED: Final = 300  # choosing is quadratic in this, reading is linear
_OVERSHOOT: Final = 1.2
_ENOUGH: Final = 0.9
_EARLIER_PART: Final = 0.5
_STATED_PART: Final = 0.8
"""How much of a summary may be what users state: questions and answers need some room, too."""
_WORTH_STATING: Final = 2.0
_WORTH_A_LINE: Final = 1.0
_FREE_OF_TALK: Final = 0.4
"""How much of that stays free when users tell of themselves without a fact, wish or decision."""
_WORDS_WORTH_ONE: Final = 25
_NEAR: Final = 0.7
_MOST_OF_A_SHAPE: Final = 3
_FEWEST_SHARED: Final = 3
_MOST_ADDED: Final = 2
# What each property of a sentence adds to its score.
_LENGTH: Final = 0.08
_TOO_LONG: Final = -0.15
_LONG: Final = 25
_RECURRING: Final = 0.025
_RECURRING_AT_MOST: Final = 3
_SAID_BY_BOTH: Final = 0.034
_OPENING: Final = (0.2, 0.1, 0.1)
_FIRST_OF_TURN: Final = 0.03
_QUESTION_WEIGHT: Final = 0.03
_REQUEST: Final = 0.1
_FINDING: Final = 0.05
_STATED: Final = 0.1
_EXCLAIMED: Final = -0.2
_REPETITION: Final = -0.2
_NEW_SPEAKER: Final = 0.05
_ITS_ANSWER: Final = 0.05
_ADDED_AT_MOST: Final = _NEW_SPEAKER + _ITS_ANSWER + 1e-9  # for rounding
"""To the score, by what was chosen before."""

Count = Callable[[str], int]


def summarise_extractively(
    utterances: Sequence[Utterance],
    *,
    limit: int,
    count: Count = len,
    earlier: str | None = None,
    share: float = SHARE,
    read: MessageReader = read_message,
) -> str:
    """Return the most important sentences, one a line, in order; never more than `limit` long.

    What users state of themselves and questions left open come first, those of an earlier summary
    too; they take at most 80 % of the limit. Of everything else about `share` of the words is
    kept as far as the limit allows, and most of a user's requests and an assistant's figures. An
    earlier summary stands first and is condensed in turn: where both do not fit, each gets half
    of that. Of sentences that say nearly the same, one is kept.
    """
    conversation = read_conversation(utterances, read=read)
    answered = {c.content for c in conversation.candidates if c.is_question and not c.is_open}
    before = _without_answered(read_summary(earlier or ""), answered)
    conversation = _without_answered(conversation, answered)
    room = int(limit * _STATED_PART)
    old, new = choose_statements(before, conversation, limit=room, count=count)
    rest = limit - _size([*old, *new], count)
    choice = _Choice(conversation, count=count, aim=_aim(conversation, share), first=new)
    chosen = choice.within(rest, after=old)
    if not earlier:
        return _bounded(chosen, limit=limit, count=count)
    left = rest - _size(chosen, count) + _size(new, count)
    told = _Choice(before, count=count, aim=math.inf, first=old).within(
        max(int(rest * _EARLIER_PART), left), after=new, shapes=_shapes(chosen)
    )
    rest -= _size(told, count) - _size(old, count)
    return _bounded(
        [*told, *choice.within(rest, after=told, shapes=_shapes(told))], limit=limit, count=count
    )


def _without_answered(known: CandidateSet, answered: Collection[frozenset[str]]) -> CandidateSet:
    """The candidates without open questions that were asked again and answered."""
    left = (one for one in known.candidates if not (one.is_open and one.content in answered))
    return replace(known, candidates=tuple(left))


def choose_statements(
    before: CandidateSet, conversation: CandidateSet, *, limit: int, count: Count
) -> tuple[list[SentenceCandidate], list[SentenceCandidate]]:
    """Return what users stated, and questions left open: of an earlier summary, and of now.

    Where not all fit, those worth most are taken, and of equals the newer ones.
    """
    pool = [(False, one) for one in before.candidates]
    pool += [(True, one) for one in conversation.candidates]
    stated = [pair for pair in pool if pair[1].statement.worth >= _WORTH_A_LINE]
    stated.sort(key=lambda pair: (_value(pair[1]), pair[0], pair[1].turn), reverse=True)
    taken, room = _Taken(), limit
    chosen: list[tuple[bool, SentenceCandidate]] = []
    for is_new, one in stated[:_MAX_CONSIDERED]:
        size = count(f"{one.line}\n")
        kept_free = 0 if one.statement.worth >= _WORTH_STATING else limit * _FREE_OF_TALK
        if size <= room - kept_free and not taken.has(one):
            taken.add(one)
            chosen.append((is_new, one))
            room -= size
    old, new = ([one for is_new, one in chosen if is_new is wanted] for wanted in (False, True))
    return _in_order(old), _in_order(new)


def _value(candidate: SentenceCandidate) -> float:
    """The worth of a statement; a long one takes the room of two."""
    return candidate.statement.worth - candidate.length / _WORDS_WORTH_ONE


class _Taken:
    """What the statements chosen so far tell."""

    def __init__(self) -> None:
        self._chosen: list[tuple[SentenceCandidate, frozenset[str]]] = []
        self._shapes = Counter[str]()

    def add(self, candidate: SentenceCandidate) -> None:
        self._shapes[candidate.shape] += 1
        self._chosen.append((candidate, terms_of(candidate.line)))

    def has(self, candidate: SentenceCandidate) -> bool:
        """Whether one of them tells the same facts, or says nearly the same."""
        facts = candidate.statement.facts
        return is_worn(candidate, self._shapes) or any(
            is_near(candidate, other)
            or (
                bool(facts)
                and candidate.exact <= other.exact
                and all(fact.is_in(terms) for fact in facts)
            )
            for other, terms in self._chosen
        )


def is_worn(candidate: SentenceCandidate, shapes: Mapping[str, int]) -> bool:
    """Tell whether there are sentences enough that differ from it in their figures alone.

    Of an assistant's comments that nobody asked for, one is enough.
    """
    most = 1 if candidate.is_comment else _MOST_OF_A_SHAPE
    return bool(candidate.shape) and shapes.get(candidate.shape, 0) >= most


def _shapes(chosen: Iterable[SentenceCandidate]) -> Counter[str]:
    return Counter(candidate.shape for candidate in chosen)


def is_near(one: SentenceCandidate, other: SentenceCandidate) -> bool:
    """Tell whether two sentences say nearly the same: the same figures, most of the same words.

    A question says the same as one with a word or two more: "Once more: how do I …?"
    """
    if one.line == other.line:
        return True
    if one.exact != other.exact or one.is_question != other.is_question:
        return False
    shared, fewer = len(one.content & other.content), min(len(one.content), len(other.content))
    if shared >= _NEAR * len(one.content | other.content) > 0:
        return True
    added = max(len(one.content), len(other.content)) - fewer
    is_whole = shared == fewer >= _FEWEST_SHARED
    return one.is_question and is_whole and added <= _MOST_ADDED


def _scores(conversation: CandidateSet) -> list[float]:
    """One number for each candidate, in their order; the highest is the most important."""
    turns: defaultdict[str, set[int]] = defaultdict(set)
    speakers: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in conversation.candidates:
        for word in candidate.content:
            turns[word].add(candidate.turn)
            speakers[word].add(candidate.speaker)
    recurring = {word: min(_RECURRING_AT_MOST, len(seen) - 1) for word, seen in turns.items()}
    shared = {word for word, by in speakers.items() if len(by) > 1}
    return [
        _own_score(candidate)
        + (_OPENING[candidate.turn] if candidate.turn < len(_OPENING) else 0.0)
        + _RECURRING * sum(recurring[word] for word in candidate.content)
        + _SAID_BY_BOTH * len(candidate.content & shared)
        for candidate in conversation.candidates
    ]


def _own_score(candidate: SentenceCandidate) -> float:
    return (
        _LENGTH * math.log1p(candidate.length)
        + _TOO_LONG * (candidate.length > _LONG)
        + _FIRST_OF_TURN * (candidate.place == 0)
        + _QUESTION_WEIGHT * candidate.is_question
        + _REQUEST * candidate.is_request
        + _FINDING * candidate.is_finding
        + _STATED * (candidate.statement.worth > 0)
        + _EXCLAIMED * (candidate.is_exclaimed and not candidate.is_finding)
    )


def _aim(conversation: CandidateSet, share: float) -> float:
    """How many words to keep: small talk bears more cutting than questions and figures."""
    exact = sum(
        c.length
        for c in conversation.candidates
        if c.is_request or c.is_finding or c.statement.worth >= _WORTH_STATING
    )
    return max(_MIN_WORDS, share * conversation.words, _EXACT_SHARE * exact)


class _Choice:
    """Chooses sentences greedily, each judged by what it adds to those before it."""

    def __init__(
        self,
        conversation: CandidateSet,
        *,
        count: Count,
        aim: float,
        first: Sequence[SentenceCandidate],
    ) -> None:
        first_of_line: dict[str, tuple[float, SentenceCandidate]] = {}
        for score, candidate in zip(_scores(conversation), conversation.candidates, strict=True):
            first_of_line.setdefault(candidate.line, (score, candidate))
        ranked = sorted(first_of_line.values(), key=lambda pair: -pair[0])
        self._considered = ranked[:_MAX_CONSIDERED]
        self._count = count
        self._aim = aim
        self._first = first

    def within(
        self,
        limit: int,
        *,
        after: Sequence[SentenceCandidate] = (),
        shapes: Mapping[str, int] | None = None,
    ) -> list[SentenceCandidate]:
        """The first ones and what else fits, in order; the best one, cut, where none fits whole."""
        left, chosen, covered = list(self._considered), list(self._first), _Covered(after, shapes)
        for one in chosen:
            covered.add(one)
        words, room = sum(one.length for one in chosen), limit
        while left and words < _ENOUGH * self._aim:
            _, best = left.pop(_index_of_best(left, covered))
            size = self._count(f"{best.line}\n")
            is_too_long = words > 0 and words + best.length > _OVERSHOOT * self._aim
            if size > room or is_too_long or covered.has_near(best):
                continue
            chosen.append(best)
            covered.add(best)
            words, room = words + best.length, room - size
        if not chosen:
            return self._cut_best(limit, covered)
        return _in_order(chosen)

    def _cut_best(self, limit: int, covered: "_Covered") -> list[SentenceCandidate]:
        unused = (one for _, one in self._considered if one.line not in covered.lines)
        best = next(unused, None)
        if best is None:
            return []
        line = cut_to_fit(best.line, limit=limit, count=lambda text: self._count(f"{text}\n"))
        return [replace(best, line=line)] if line else []


def _index_of_best(ranked: Sequence[tuple[float, SentenceCandidate]], covered: "_Covered") -> int:
    """Which one is worth most; those whose score is too low for that are not looked at."""
    best, most = 0, -math.inf
    for index, (score, candidate) in enumerate(ranked):
        if score + _ADDED_AT_MOST <= most:
            break
        worth = covered.worth(score, candidate)
        if worth > most:
            best, most = index, worth
    return best


class _Covered:
    """What the chosen sentences cover so far."""

    def __init__(
        self, chosen: Sequence[SentenceCandidate], shapes: Mapping[str, int] | None
    ) -> None:
        self._shapes = Counter(shapes or {})
        self.lines = {candidate.line for candidate in chosen}
        self._chosen = list(chosen)
        self._content = set[str]().union(*(candidate.content for candidate in chosen))
        self._speakers = set[str]()
        self._requests = set[int]()

    def add(self, candidate: SentenceCandidate) -> None:
        self.lines.add(candidate.line)
        self._chosen.append(candidate)
        self._shapes[candidate.shape] += 1
        self._content |= candidate.content
        self._speakers.add(candidate.speaker)
        if candidate.is_request:
            self._requests.add(candidate.turn)

    def has_near(self, candidate: SentenceCandidate) -> bool:
        """Whether one of them says nearly the same, or some do but for their figures."""
        return is_worn(candidate, self._shapes) or any(
            is_near(candidate, one) for one in self._chosen
        )

    def worth(self, score: float, candidate: SentenceCandidate) -> float:
        content = candidate.content
        repeated = len(content & self._content) / len(content) if content else 1.0
        is_answer = candidate.place == 0 and candidate.turn - 1 in self._requests
        is_new = bool(self._speakers) and candidate.speaker not in self._speakers
        return score + _REPETITION * repeated + _ITS_ANSWER * is_answer + _NEW_SPEAKER * is_new


def _in_order(chosen: Iterable[SentenceCandidate]) -> list[SentenceCandidate]:
    return sorted(chosen, key=lambda candidate: (candidate.turn, candidate.place))


def _size(chosen: Sequence[SentenceCandidate], count: Count) -> int:
    return sum(count(f"{candidate.line}\n") for candidate in chosen)


def _bounded(chosen: Sequence[SentenceCandidate], *, limit: int, count: Count) -> str:
    """The lines joined; counted together they may need less than one by one, seldom more."""
    lines = [candidate.line for candidate in chosen]
    while len(lines) > 1:
        text = "\n".join(lines)
        if count(text) <= limit:
            return text
        lines.pop()
    return cut_to_fit("\n".join(lines), limit=limit, count=count)


def cut_to_fit(text: str, *, limit: int, count: Count) -> str:
    """Return the text, or as many of its first words as the limit allows, with an ellipsis."""
    if count(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(f"{text[:middle]}…") <= limit else (low, middle - 1)
    start = text[: max(text.rfind(" ", low // 2, low), 0) or low]
    cut = f"{start.rstrip()}…"
    return cut if start.strip() and count(cut) <= limit else ""
