"""A summary made of the conversation's own sentences, with no model and no network."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from recollect.domain.language import guess_language, is_common_word, split_words
from recollect.domain.summary.sentences import in_third_person, mention_of, split_sentences, tighten

SHARE: Final = 0.2
_EXACT_SHARE: Final = 1.1
_MIN_WORDS: Final = 10
_MAX_CONSIDERED: Final = 300  # choosing is quadratic in this, reading is linear
_OVERSHOOT: Final = 1.2
_ENOUGH: Final = 0.9
_EARLIER_PART: Final = 0.5
# Work stays bounded: 50 messages are read nearly whole, of 10,000 the first sentence each.
_READ_IN_ALL: Final = 500_000
_READ_AT_LEAST: Final = 200
_READ_AT_MOST: Final = 10_000
_SENTENCES_IN_ALL: Final = 6_000
# An earlier summary has a few thousand characters; a text of 200,000 took half a second to read.
_READ_OF_SUMMARY: Final = 50_000
_SENTENCES_OF_SUMMARY: Final = 2_000
_MAX_LINE: Final = 400
_SYSTEM: Final = "system"
_USERS: Final = frozenset({"user", "gebruiker"})
_ASSISTANTS: Final = frozenset({"assistant", "assistent"})
_ROLE_LABELS: Final = {
    "nl": {"user": "Gebruiker", "assistant": "Assistent"},
    "en": {"user": "User", "assistant": "Assistant"},
}
_ENDINGS: Final = ("ing", "ies", "ed", "es", "en", "s", "e")
_SHORTEST_STEM: Final = 3
_QUESTION: Final = re.compile(r"\?[\"'”\u2019)]*$|\uff1f$")
_EXACT: Final = re.compile(r"\d|\w_\w|\w{2}\.\w{2}|`")
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
_REPETITION: Final = -0.2
_NEW_SPEAKER: Final = 0.05
_ITS_ANSWER: Final = 0.05

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """A text and its speaker."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCandidate:
    """One sentence as a summary would show it, and where it comes from.

    A request is a user's question or wish, a finding an assistant's answer with figures or names
    of tables: a summary of a conversation about data needs both.
    """

    turn: int
    place: int
    speaker: str
    line: str
    length: int
    content: frozenset[str]
    is_question: bool = False
    is_request: bool = False
    is_finding: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSet:
    """The sentences of a conversation that a summary can choose from, and its words in all."""

    candidates: tuple[SentenceCandidate, ...]
    words: int


def summarise_extractively(
    utterances: Sequence[Utterance],
    *,
    limit: int,
    count: Count = len,
    earlier: str | None = None,
    share: float = SHARE,
) -> str:
    """Return the most important sentences, one a line, in order; never more than `limit` long.

    About `share` of the words is kept as far as the limit allows, and most of a user's requests
    and an assistant's figures. An earlier summary stands first and is condensed in turn: where
    both do not fit, each gets half.
    """
    conversation = read_conversation(utterances)
    choice = _Choice(conversation, count=count, aim=_aim(conversation, share))
    new = choice.within(limit)
    if earlier:
        room = max(int(limit * _EARLIER_PART), limit - _size(new, count))
        old = _Choice(read_summary(earlier), count=count, aim=math.inf).within(room)
        new = choice.within(limit - _size(old, count), after=old)
        return _bounded([*old, *new], limit=limit, count=count)
    return _bounded(new, limit=limit, count=count)


def read_conversation(utterances: Sequence[Utterance]) -> CandidateSet:
    """Read a conversation, oldest first, without greetings, fillers and system messages."""
    spoken = [utterance for utterance in utterances if utterance.speaker.lower() != _SYSTEM]
    size = min(_READ_AT_MOST, max(_READ_AT_LEAST, _READ_IN_ALL // max(1, len(spoken))))
    most = max(1, _SENTENCES_IN_ALL // max(1, len(spoken)))
    texts = [utterance.text[:size] for utterance in spoken]
    language = guess_language(texts)
    labels = _ROLE_LABELS["nl" if language == "nl" else "en"]
    speakers = list(dict.fromkeys(utterance.speaker for utterance in spoken if utterance.speaker))
    # 'You' is the other one of two, and nobody in a bigger circle.
    listeners = dict(zip(speakers, reversed(speakers), strict=True)) if len(speakers) == 2 else {}  # noqa: PLR2004
    candidates: list[SentenceCandidate] = []
    for turn, (utterance, text) in enumerate(zip(spoken, texts, strict=True)):
        voice = _Voice(
            speaker=utterance.speaker,
            label=labels.get(utterance.speaker.lower(), utterance.speaker),
            listener=listeners.get(utterance.speaker),
            is_english=(guess_language(text) or language) == "en",
        )
        candidates += islice(_candidates(text, turn, voice), most)
    words = sum(len(text.split()) for text in texts)
    return CandidateSet(candidates=tuple(candidates), words=words)


def read_summary(text: str) -> CandidateSet:
    """Read an earlier summary, the start of a long one: its lines are taken as they stand."""
    sentences = split_sentences(text[:_READ_OF_SUMMARY])[:_SENTENCES_OF_SUMMARY]
    lines = [_shortened(line) for line in sentences]
    candidates = tuple(
        SentenceCandidate(
            turn=turn,
            place=0,
            speaker="",
            line=line,
            length=len(line.split()),
            content=_content(line),
            is_request=line.partition(":")[0].lower() in _USERS,
            is_finding=_EXACT.search(line) is not None,
        )
        for turn, line in enumerate(lines)
    )
    return CandidateSet(candidates=candidates, words=sum(c.length for c in candidates))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voice:
    speaker: str
    label: str
    listener: str | None
    is_english: bool

    def with_name(self, sentence: str) -> str:
        """The sentence with its speaker: by name inside it, or in front."""
        if not self.speaker:
            return sentence
        name = mention_of(self.speaker)
        named = sentence
        if self.is_english:
            named = in_third_person(sentence, speaker=self.speaker, listener=self.listener)
        if named.lower().startswith(name.lower()):
            return named
        # 'User: Can you show me …' reads better than 'Can the assistant show the user …'.
        return f"{self.label}: {named if name == self.speaker else sentence}"


def _candidates(text: str, turn: int, voice: _Voice) -> Iterator[SentenceCandidate]:
    place = 0
    role = voice.speaker.lower()
    for sentence in split_sentences(text):
        tight = _shortened(tighten(sentence))
        if not tight or tight.endswith(":"):  # what it announces stands in the next lines
            continue
        line = voice.with_name(tight)
        content = _content(tight)
        is_question = _QUESTION.search(tight) is not None
        yield SentenceCandidate(
            turn=turn,
            place=place,
            speaker=voice.speaker,
            line=line,
            length=len(line.split()),
            content=content,
            is_question=is_question,
            is_request=bool(content) and role in _USERS and (is_question or place == 0),
            is_finding=role in _ASSISTANTS and _EXACT.search(tight) is not None,
        )
        place += 1


def _shortened(line: str) -> str:
    if len(line) <= _MAX_LINE:
        return line
    return line[: _MAX_LINE - 1].rpartition(" ")[0] + "…" if " " in line else line[:_MAX_LINE]


def _content(sentence: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in split_words(sentence) if not is_common_word(word))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    lower = word.lower()
    for ending in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= _SHORTEST_STEM:
            return lower.removesuffix(ending)
    return lower


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
    )


def _aim(conversation: CandidateSet, share: float) -> float:
    """How many words to keep: small talk bears more cutting than questions and figures."""
    exact = sum(c.length for c in conversation.candidates if c.is_request or c.is_finding)
    return max(_MIN_WORDS, share * conversation.words, _EXACT_SHARE * exact)


class _Choice:
    """Chooses sentences greedily, each judged by what it adds to those before it."""

    def __init__(self, conversation: CandidateSet, *, count: Count, aim: float) -> None:
        first_of_line: dict[str, tuple[float, SentenceCandidate]] = {}
        for score, candidate in zip(_scores(conversation), conversation.candidates, strict=True):
            first_of_line.setdefault(candidate.line, (score, candidate))
        ranked = sorted(first_of_line.values(), key=lambda pair: -pair[0])
        self._considered = ranked[:_MAX_CONSIDERED]
        self._count = count
        self._aim = aim

    def within(
        self, limit: int, *, after: Sequence[SentenceCandidate] = ()
    ) -> list[SentenceCandidate]:
        """The chosen sentences in their order; the best one, cut, where none fits whole."""
        left, chosen, covered = list(self._considered), list[SentenceCandidate](), _Covered(after)
        words, room = 0, limit
        while left and words < _ENOUGH * self._aim:
            index = max(range(len(left)), key=lambda i: covered.worth(*left[i]))
            _, best = left.pop(index)
            size = self._count(f"{best.line}\n")
            is_too_long = words > 0 and words + best.length > _OVERSHOOT * self._aim
            if size > room or is_too_long or best.line in covered.lines:
                continue
            chosen.append(best)
            covered.add(best)
            words, room = words + best.length, room - size
        if not chosen:
            return self._cut_best(limit, covered)
        return sorted(chosen, key=lambda candidate: (candidate.turn, candidate.place))

    def _cut_best(self, limit: int, covered: "_Covered") -> list[SentenceCandidate]:
        unused = (one for _, one in self._considered if one.line not in covered.lines)
        best = next(unused, None)
        if best is None:
            return []
        line = cut_to_fit(best.line, limit=limit, count=lambda text: self._count(f"{text}\n"))
        return [replace(best, line=line)] if line else []


class _Covered:
    """What the chosen sentences cover so far."""

    def __init__(self, chosen: Sequence[SentenceCandidate]) -> None:
        self.lines = {candidate.line for candidate in chosen}
        self._content = set[str]().union(*(candidate.content for candidate in chosen))
        self._speakers = set[str]()
        self._requests = set[int]()

    def add(self, candidate: SentenceCandidate) -> None:
        self.lines.add(candidate.line)
        self._content |= candidate.content
        self._speakers.add(candidate.speaker)
        if candidate.is_request:
            self._requests.add(candidate.turn)

    def worth(self, score: float, candidate: SentenceCandidate) -> float:
        content = candidate.content
        repeated = len(content & self._content) / len(content) if content else 1.0
        is_answer = candidate.place == 0 and candidate.turn - 1 in self._requests
        is_new = bool(self._speakers) and candidate.speaker not in self._speakers
        return score + _REPETITION * repeated + _ITS_ANSWER * is_answer + _NEW_SPEAKER * is_new


def _size(chosen: Sequence[SentenceCandidate], count: Count) -> int:
    return sum(count(f"{candidate.line}\n") for candidate in chosen)


def _bounded(chosen: Sequence[SentenceCandidate], *, limit: int, count: Count) -> str:
    """The lines joined; counted together they may need less than one by one, seldom more."""
    lines = [candidate.line for candidate in chosen]
    while len(lines) > 1 and count("\n".join(lines)) > limit:
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
