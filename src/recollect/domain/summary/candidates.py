"""Reading conversations and summaries: the sentences that a summary can choose from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Final, Protocol

from recollect.domain.language import fold, guess_language, is_common_word, split_words
from recollect.domain.summary.languages import SummaryWords, labels_of, summary_words
from recollect.domain.summary.sentences import in_third_person, mention_of, split_sentences, tighten
from recollect.domain.summary.statements import (
    NOTHING,
    OPEN_QUESTION,
    Statement,
    is_offer,
    is_question,
    is_remark,
    is_request,
    is_small_talk,
    open_question,
    puts_off,
    read_statement,
    read_told_statement,
    split_label,
)

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
_USERS: Final = labels_of("user")
_ASSISTANTS: Final = labels_of("assistant")
_ENDINGS: Final = ("ing", "ies", "ed", "es", "en", "s", "e")
_SHORTEST_STEM: Final = 3
_EXACT: Final = re.compile(r"\d|\w_\w|\w{2}\.\w{2}|`")
_FIRST_OF_MESSAGE: Final = 3
_QUOTED_PART: Final = 0.5
"""What a statement counts for that stands deep in a long message and is not about the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """A text and its speaker."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCandidate:
    """One sentence as a summary would show it, and where it comes from.

    A request is a user's question or wish, a finding an assistant's answer with figures or names
    of tables: a summary of a conversation about data needs both. A statement is what users say of
    themselves.
    """

    turn: int
    place: int
    speaker: str
    line: str
    length: int
    content: frozenset[str]
    exact: frozenset[str] = frozenset()
    """Figures and negations: sentences that differ in one say different things."""
    shape: str = ""
    """The words with a mark in place of figures; '' without figures."""
    is_question: bool = False
    is_request: bool = False
    is_finding: bool = False
    is_comment: bool = False
    """Whether an assistant comments on what a user said without asking for anything."""
    is_exclaimed: bool = False
    """Whether an assistant exclaims: "Glad to hear that!"."""
    is_open: bool = False
    statement: Statement = field(default=NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSet:
    """The sentences of a conversation that a summary can choose from, and its words in all."""

    candidates: tuple[SentenceCandidate, ...]
    words: int


class MessageReader(Protocol):
    """`read_message`, or a cache of its results."""

    def __call__(
        self, text: str, voice: "Voice", *, turn: int, most: int
    ) -> Sequence[SentenceCandidate]:
        """Return the first `most` sentences of a message, which is the turn of that number."""


def read_message(text: str, voice: "Voice", *, turn: int, most: int) -> Sequence[SentenceCandidate]:
    """Read a message in its own language, or in the conversation's where that is not clear."""
    own = replace(voice, language=guess_language(text) or voice.language)
    return tuple(islice(_candidates(text, own, turn), most))


def read_conversation(
    utterances: Sequence[Utterance], *, read: MessageReader = read_message
) -> CandidateSet:
    """Read a conversation, oldest first, without greetings, fillers and system messages."""
    spoken = [utterance for utterance in utterances if utterance.speaker.lower() != _SYSTEM]
    size = min(_READ_AT_MOST, max(_READ_AT_LEAST, _READ_IN_ALL // max(1, len(spoken))))
    most = max(1, _SENTENCES_IN_ALL // max(1, len(spoken)))
    texts = [utterance.text[:size] for utterance in spoken]
    language = guess_language(texts)
    speakers = list(dict.fromkeys(utterance.speaker for utterance in spoken if utterance.speaker))
    # 'You' is the other one of two, and nobody in a bigger circle.
    listeners = dict(zip(speakers, reversed(speakers), strict=True)) if len(speakers) == 2 else {}  # noqa: PLR2004
    candidates: list[SentenceCandidate] = []
    for turn, (utterance, text) in enumerate(zip(spoken, texts, strict=True)):
        voice = Voice(
            speaker=utterance.speaker,
            listener=listeners.get(utterance.speaker),
            language=language,
            words=summary_words(language),
            is_left_open=_has_question_mark(text)
            and _is_left_open(spoken[turn + 1 : turn + 2], language),
            is_unasked=_asks_nothing(spoken[max(0, turn - 1) : turn], language),
        )
        candidates += read(text, voice, turn=turn, most=most)
    words = sum(len(text.split()) for text in texts)
    return CandidateSet(candidates=tuple(candidates), words=words)


def read_summary(text: str) -> CandidateSet:
    """Read an earlier summary, the start of a long one: its lines are taken as they stand."""
    sentences = split_sentences(text[:_READ_OF_SUMMARY])[:_SENTENCES_OF_SUMMARY]
    language = guess_language(text[:_READ_OF_SUMMARY])
    lines = [_shortened(line) for line in sentences]
    candidates = tuple(_told(line, turn, language) for turn, line in enumerate(lines))
    return CandidateSet(candidates=candidates, words=sum(c.length for c in candidates))


def _told(line: str, turn: int, language: str | None) -> SentenceCandidate:
    label, text = split_label(line)
    statement = read_told_statement(line, language=language)
    return SentenceCandidate(
        turn=turn,
        place=0,
        speaker="",
        line=line,
        length=len(line.split()),
        content=_content(text),
        exact=_exact(text, language),
        shape=_shape(text),
        is_question=is_question(text),
        is_request=label in _USERS,
        is_finding=_EXACT.search(line) is not None,
        is_open=statement.worth == OPEN_QUESTION,
        statement=statement,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Who speaks, to whom, and in which language; and whether the reply leaves things open."""

    speaker: str
    listener: str | None
    language: str | None
    words: SummaryWords
    """The words of the whole conversation's language."""
    is_left_open: bool
    is_unasked: bool
    """Whether the message before asks for nothing."""

    @property
    def is_user(self) -> bool:
        """Whether it is the user of a chat."""
        return self.speaker.lower() in _USERS

    @property
    def is_assistant(self) -> bool:
        """Whether it is the assistant of a chat."""
        return self.speaker.lower() in _ASSISTANTS

    def with_name(self, sentence: str) -> str:
        """The sentence with its speaker: by name inside it, or in front."""
        if not self.speaker:
            return sentence
        name = mention_of(self.speaker)
        named = sentence
        if self.language == "en":
            named = in_third_person(sentence, speaker=self.speaker, listener=self.listener)
        if named.lower().startswith(name.lower()):
            return named
        # 'User: Can you show me …' reads better than 'Can the assistant show the user …'.
        return f"{self._label()}: {named if name == self.speaker else sentence}"

    def _label(self) -> str:
        if self.is_user:
            return self.words.user_label
        return self.words.assistant_label if self.is_assistant else self.speaker

    def is_filler(self, sentence: str) -> bool:
        """Whether a sentence of a chat says nothing: small talk, or an offer of more help."""
        if self.is_assistant and is_offer(sentence, self.language):
            return True
        return (self.is_user or self.is_assistant) and is_small_talk(sentence, self.language)


def _candidates(text: str, voice: Voice, turn: int) -> Iterator[SentenceCandidate]:
    place = 0
    for sentence in split_sentences(text):
        tight = _shortened(tighten(sentence))
        # What a line that ends in a colon announces stands in the next lines.
        if not tight or tight.endswith(":") or voice.is_filler(tight):
            continue
        yield _candidate(tight, voice, turn=turn, place=place)
        place += 1


def _candidate(sentence: str, voice: Voice, *, turn: int, place: int) -> SentenceCandidate:
    content = _content(sentence)
    asks = is_question(sentence)
    is_open = asks and voice.is_user and voice.is_left_open and bool(content)
    line = voice.with_name(sentence)
    if is_open:
        line = f"{voice.words.open_question_label}: {sentence}"
    return SentenceCandidate(
        turn=turn,
        place=place,
        speaker=voice.speaker,
        line=line,
        length=len(line.split()),
        content=content,
        exact=_exact(sentence, voice.language),
        shape=_shape(sentence),
        is_comment=voice.is_assistant and voice.is_unasked,
        is_question=asks,
        is_request=voice.is_user and _requests(sentence, content, place, voice),
        is_exclaimed=voice.is_assistant and sentence.endswith("!"),
        is_finding=voice.is_assistant and _EXACT.search(sentence) is not None,
        is_open=is_open,
        statement=_statement(sentence, place, voice, is_open=is_open),
    )


def _requests(sentence: str, content: frozenset[str], place: int, voice: Voice) -> bool:
    if is_question(sentence) or not content:
        return bool(content)
    return place == 0 and not is_remark(sentence, voice.language)


def _statement(sentence: str, place: int, voice: Voice, *, is_open: bool) -> Statement:
    if not voice.is_user:
        return NOTHING
    if is_open:
        return open_question(sentence, language=voice.language)
    statement = read_statement(sentence, language=voice.language)
    if place >= _FIRST_OF_MESSAGE and not statement.is_own:
        return Statement(facts=statement.facts, worth=_QUOTED_PART * statement.worth)
    return statement


def _has_question_mark(text: str) -> bool:
    return "?" in text or "\uff1f" in text


def _is_left_open(reply: Sequence[Utterance], language: str | None) -> bool:
    return any(one.speaker.lower() in _ASSISTANTS and puts_off(one.text, language) for one in reply)


def _asks_nothing(before: Sequence[Utterance], language: str | None) -> bool:
    return any(
        one.speaker.lower() in _USERS and "?" not in one.text and not is_request(one.text, language)
        for one in before
    )


def _shortened(line: str) -> str:
    if len(line) <= _MAX_LINE:
        return line
    return line[: _MAX_LINE - 1].rpartition(" ")[0] + "…" if " " in line else line[:_MAX_LINE]


def _content(sentence: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in split_words(sentence) if not is_common_word(word))


def _exact(sentence: str, language: str | None) -> frozenset[str]:
    negations = summary_words(language).negations
    words = (fold(word).replace("\u2019", "'") for word in split_words(sentence))
    return frozenset(word for word in words if word in negations or _has_digit(word))


def _shape(sentence: str) -> str:
    words = split_words(sentence)
    if not any(map(_has_digit, words)):
        return ""
    return " ".join("#" if _has_digit(word) else fold(word) for word in words)


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    lower = word.lower()
    for ending in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= _SHORTEST_STEM:
            return lower.removesuffix(ending)
    return lower
