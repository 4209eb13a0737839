"""The sentences a summary can choose from, worded to stand alone, and their scores."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from recollect.domain.language import guess_language, is_common_word, split_words
from recollect.domain.summary.sentences import split_sentences, tighten

_REGULAR: Final = """need want think know hope like believe guess see feel live work love prefer say
    mean wonder remember understand agree plan expect wish look get go come take make use find
    suppose try keep start play teach study run enjoy hate own help call pay spend suggest recommend
    hear ask tell give wait"""
_ENDING_IN_ES: Final = ("o", "ch", "sh", "s")
# Work stays bounded: 50 messages are read nearly whole, of 10,000 the first sentence each.
_READ_IN_ALL: Final = 500_000
_READ_AT_LEAST: Final = 200
_READ_AT_MOST: Final = 10_000
_SENTENCES_IN_ALL: Final = 6_000
# An earlier summary has a few thousand characters; a text of 200,000 took half a second to read.
_READ_OF_SUMMARY: Final = 50_000
_SENTENCES_OF_SUMMARY: Final = 2_000
_MAX_LINE: Final = 400
_TWO: Final = 2
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


def _third(verb: str) -> str:
    if verb.endswith(_ENDING_IN_ES):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return verb + "s"


_VERBS: Final = {verb: _third(verb) for verb in _REGULAR.split()} | {
    "have": "has",
    "haven't": "hasn't",
    "am": "is",
    "are": "is",
    "aren't": "isn't",
    "do": "does",
    "don't": "doesn't",
    "were": "was",
    "weren't": "wasn't",
}


_ADVERBS: Final = "also|really|just|always|still|only|usually|often|never|certainly|actually"


_NUMBERED: Final = "war|part|type|phase|class|chapter|table|level|stage|tier|group|section|volume"


_NOT_A_PERSON: Final = re.compile(rf"\b(?:{_NUMBERED}) I\b|\bI[/.-]\w", re.IGNORECASE)


_QUOTED: Final = re.compile(r"[\"“”«»„`<>{}=;\0\1]|'\w[^']*'(?!\w)")


_SPEAKER: Final = "\0"  # stand-ins, so that what is in a name is never taken for a pronoun


_LISTENER: Final = "\1"


_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]


def _rules(pronoun: str, name: str) -> tuple[_Rule, ...]:
    modal = "can|could|may|might|will|would|shall|should|must|did|can't|won't|didn't|let|to"
    before = "[Aa]m|[Aa]re|[Dd]o|[Hh]ave|[Dd]on't|[Aa]ren't|[Hh]aven't|[Ww]ere"
    after = "|".join(sorted(_VERBS, key=len, reverse=True))
    return (
        (re.compile(rf"{pronoun}'(?:m|re)\b"), f"{name} is"),
        (re.compile(rf"{pronoun}'ve\b"), f"{name} has"),
        (re.compile(rf"{pronoun}'ll\b"), f"{name} will"),
        (re.compile(rf"{pronoun}'d (?=like|love|rather|prefer|be\b)"), f"{name} would "),
        (re.compile(rf"{pronoun}'d\b"), f"{name} had"),
        (re.compile(rf"\b((?i:{modal})) {pronoun}(?!')"), lambda m: f"{m[1]} {name}"),
        (re.compile(rf"\b({before}) {pronoun}"), lambda m: f"{_verb(m[1])} {name}"),
        (
            re.compile(rf"{pronoun} ((?:(?:{_ADVERBS}) )?)({after})\b(?!')"),
            lambda m: f"{name} {m[1]}{_VERBS[m[2]]}",
        ),
        (re.compile(pronoun), name),
    )


def _verb(word: str) -> str:
    third = _VERBS[word.lower()]
    return third.capitalize() if word[0].isupper() else third


_FIRST_PERSON: Final[tuple[_Rule, ...]] = (
    *_rules(r"\bI\b", _SPEAKER),
    (re.compile(r"\b(?:[Mm]y|[Mm]ine)\b"), f"{_SPEAKER}'s"),
    (re.compile(r"\b(?:[Mm]e|[Mm]yself)\b"), _SPEAKER),
)


_SECOND_PERSON: Final[tuple[_Rule, ...]] = (
    *_rules(r"\b[Yy]ou\b", _LISTENER),
    (re.compile(r"\b[Yy]ours?\b"), f"{_LISTENER}'s"),
    (re.compile(r"\b[Yy]ourself\b"), _LISTENER),
)


_SAYS_I: Final = re.compile(r"\b(?:I|[Mm]y|[Mm]ine|[Mm]e|[Mm]yself)\b")


_SAYS_YOU: Final = re.compile(r"\b[Yy]ou")


_ROLES: Final = {"user": "the user", "assistant": "the assistant"}


def in_third_person(sentence: str, *, speaker: str, listener: str | None) -> str:
    """An English sentence with names for 'I' and, where one other person listens, for 'you'."""
    if _QUOTED.search(sentence) or _NOT_A_PERSON.search(sentence):
        return sentence
    text = sentence.replace("\u2019", "'")
    if _SAYS_I.search(text):
        text = _replace(_FIRST_PERSON, text)
    if listener and _SAYS_YOU.search(text):
        text = _replace(_SECOND_PERSON, text)
    if _SPEAKER not in text and _LISTENER not in text:
        return sentence
    named = text.replace(_SPEAKER, mention_of(speaker))
    named = named.replace(_LISTENER, mention_of(listener or ""))
    return named[:1].upper() + named[1:]


def _replace(rules: tuple[_Rule, ...], text: str) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def mention_of(speaker: str) -> str:
    """How a speaker is called inside a sentence: a name as it is, a role with its article."""
    return _ROLES.get(speaker.lower(), speaker)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCandidate:
    """One sentence as a summary would show it, and where it comes from.

    A request is what a user asks, a finding what an assistant answers with figures or names of
    tables: a conversation about data is nothing without them.
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
    """What was read of a conversation: its sentences worth a thought, and how long it was."""

    candidates: tuple[SentenceCandidate, ...]
    words: int


def read_conversation(said: Sequence[tuple[str, str]]) -> CandidateSet:
    """Read (speaker, text) pairs, oldest first.

    Greetings and fillers are no candidates, nor is what a `system` says: it was not said to anyone.
    """
    said = [(speaker, text) for speaker, text in said if speaker.lower() != _SYSTEM]
    size = min(_READ_AT_MOST, max(_READ_AT_LEAST, _READ_IN_ALL // max(1, len(said))))
    most = max(1, _SENTENCES_IN_ALL // max(1, len(said)))
    texts = [text[:size] for _, text in said]
    language = guess_language(texts)
    labels = _ROLE_LABELS["nl" if language == "nl" else "en"]
    listeners = _listeners(said)
    found: list[SentenceCandidate] = []
    words = 0
    for turn, ((speaker, _), text) in enumerate(zip(said, texts, strict=True)):
        words += len(text.split())
        voice = _Voice(
            speaker=speaker,
            label=labels.get(speaker.lower(), speaker),
            listener=listeners.get(speaker),
            is_english=(guess_language(text) or language) == "en",
        )
        found += islice(_candidates(text, turn, voice), most)
    return CandidateSet(candidates=tuple(found), words=words)


def read_summary(text: str) -> CandidateSet:
    """Read an earlier summary, the start of a long one: its lines are taken as they stand."""
    sentences = split_sentences(text[:_READ_OF_SUMMARY])[:_SENTENCES_OF_SUMMARY]
    lines = [_shortened(line) for line in sentences]
    found = tuple(_from_summary(turn, line) for turn, line in enumerate(lines))
    return CandidateSet(candidates=found, words=sum(c.length for c in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voice:
    speaker: str
    label: str
    listener: str | None
    is_english: bool

    def say(self, sentence: str) -> str:
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


def _listeners(said: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Who is meant by 'you': the other one of two; nobody in a bigger circle."""
    speakers = list(dict.fromkeys(speaker for speaker, _ in said if speaker))
    if len(speakers) != _TWO:
        return {}
    return dict(zip(speakers, reversed(speakers), strict=True))


def _from_summary(turn: int, line: str) -> SentenceCandidate:
    return SentenceCandidate(
        turn=turn,
        place=0,
        speaker="",
        line=line,
        length=len(line.split()),
        content=_content(line),
        is_request=line.partition(":")[0].lower() in _USERS,
        is_finding=_EXACT.search(line) is not None,
    )


def _candidates(text: str, turn: int, voice: _Voice) -> Iterator[SentenceCandidate]:
    place = 0
    for sentence in split_sentences(text):
        tight = _shortened(tighten(sentence))
        if not tight or tight.endswith(":"):  # what it announces stands in the next lines
            continue
        line = voice.say(tight)
        content = _content(tight)
        is_question = _QUESTION.search(tight) is not None
        is_exact = _EXACT.search(tight) is not None
        role = voice.speaker.lower()
        yield SentenceCandidate(
            turn=turn,
            place=place,
            speaker=voice.speaker,
            line=line,
            length=len(line.split()),
            content=content,
            is_question=is_question,
            is_request=bool(content) and role in _USERS and (is_question or place == 0),
            is_finding=role in _ASSISTANTS and is_exact,
        )
        place += 1


def _shortened(line: str) -> str:
    if len(line) <= _MAX_LINE:
        return line
    return line[: _MAX_LINE - 1].rpartition(" ")[0] + "…" if " " in line else line[:_MAX_LINE]


def _content(sentence: str) -> frozenset[str]:
    words = split_words(sentence)
    return frozenset(_stem(word) for word in words if not is_common_word(word))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    lower = word.lower()
    for ending in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= _SHORTEST_STEM:
            return lower.removesuffix(ending)
    return lower


def scores_of(reading: CandidateSet) -> list[float]:
    """One number for each candidate, in their order; higher says more."""
    turns: defaultdict[str, set[int]] = defaultdict(set)
    speakers: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in reading.candidates:
        for word in candidate.content:
            turns[word].add(candidate.turn)
            speakers[word].add(candidate.speaker)
    recurring = {word: min(_RECURRING_AT_MOST, len(seen) - 1) for word, seen in turns.items()}
    shared = {word for word, by in speakers.items() if len(by) > 1}
    return [
        _own_score(candidate)
        + _opening_score(candidate)
        + _RECURRING * sum(recurring[word] for word in candidate.content)
        + _SAID_BY_BOTH * len(candidate.content & shared)
        for candidate in reading.candidates
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


def _opening_score(candidate: SentenceCandidate) -> float:
    return _OPENING[candidate.turn] if candidate.turn < len(_OPENING) else 0.0
