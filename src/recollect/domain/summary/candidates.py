"""The sentences a summary can choose from, each worded so that it stands by itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from recollect.domain.summary.language import guess_language, is_common_word, words_of
from recollect.domain.summary.sentences import split_sentences
from recollect.domain.summary.third_person import in_third_person, mention_of
from recollect.domain.summary.wording import tighten

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
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
class Reading:
    """What was read of a conversation: its sentences worth a thought, and how long it was."""

    candidates: tuple[Candidate, ...]
    words: int


def read_conversation(said: Sequence[tuple[str, str]]) -> Reading:
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
    found: list[Candidate] = []
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
    return Reading(candidates=tuple(found), words=words)


def read_summary(text: str) -> Reading:
    """Read an earlier summary, the start of a long one: its lines are taken as they stand."""
    sentences = split_sentences(text[:_READ_OF_SUMMARY])[:_SENTENCES_OF_SUMMARY]
    lines = [_shortened(line) for line in sentences]
    found = tuple(_from_summary(turn, line) for turn, line in enumerate(lines))
    return Reading(candidates=found, words=sum(c.length for c in found))


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


def _from_summary(turn: int, line: str) -> Candidate:
    return Candidate(
        turn=turn,
        place=0,
        speaker="",
        line=line,
        length=len(line.split()),
        content=_content(line),
        is_request=line.partition(":")[0].lower() in _USERS,
        is_finding=_EXACT.search(line) is not None,
    )


def _candidates(text: str, turn: int, voice: _Voice) -> Iterator[Candidate]:
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
        yield Candidate(
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
    words = words_of(sentence)
    return frozenset(_stem(word) for word in words if not is_common_word(word))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    lower = word.lower()
    for ending in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= _SHORTEST_STEM:
            return lower.removesuffix(ending)
    return lower
