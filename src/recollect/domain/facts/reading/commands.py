"""What a user tells the memory to remember or to forget, by exact rules.

A command begins its sentence: "please remember that …". What is asked ("do you remember that …?"),
told ("I forgot that …") or to be done ("don't forget to …") is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.own_words import readable_parts
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in
from recollect.domain.speech.spoken import Part, sentences_of
from recollect.domain.speech.tokens import Token, tokens_of

_MIN_STATEMENT: Final = 2
"""The fewest words of a statement: "I smoke"."""
_ENDS: Final = " \t\n.!?…,;:\"'”»)"


class CommandKind(StrEnum):
    """What the memory is to do."""

    REMEMBER = "remember"
    FORGET = "forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command to the memory."""

    kind: CommandKind
    content: str
    """What it is about, verbatim from the message: a statement, or the name of a topic."""
    start: int
    """Where the content begins in the message."""
    names_topic: bool = False
    """Whether everything about the content is to be forgotten: "what I said about my diet"."""


def may_hold_command(text: str) -> bool:
    """Whether the words of a command are in a text; a quick look before `commands_in`."""
    words = words_in(text)
    return any(
        phrases.are_in(words)
        for code in LANGUAGES
        for _, phrases, _ in _phrases(fact_words(code), is_asked=True)
    )


def commands_in(text: str) -> tuple[Command, ...]:
    """The commands of a user's message, in the order in which they are given."""
    sentences = (one for part in readable_parts(text) for one in sentences_of(part))
    found = (_command_of(sentence) for sentence in sentences)
    return tuple(command for command in found if command)


def _command_of(sentence: Part) -> Command | None:
    tokens = tuple(tokens_of(sentence))
    words = tuple(token.word for token in tokens)
    for code in LANGUAGES:
        if command := _read(sentence, tokens, words, fact_words(code)):
            return command
    return None


def _read(
    sentence: Part, tokens: tuple[Token, ...], words: Phrase, known: FactWords
) -> Command | None:
    place = _after_openers(words, 0, known)
    polite = known.polite.length_at(words, place)
    place = _after_openers(words, place + polite, known) if polite else place
    if ("?" in words and not polite) or _is_told(sentence, tokens[place : place + 1]):
        return None
    for kind, phrases, names_topic in _phrases(known, is_asked=polite > 0):
        if length := phrases.length_at(words, place):
            first = place + length
            if known.subjects.length_at(words, first - 1):
                first -= 1
            content = _content(sentence, tokens, words, first, known, names_topic=names_topic)
            if content:
                return Command(
                    kind=kind, content=content.text, start=content.start, names_topic=names_topic
                )
    return None


def _is_told(sentence: Part, verb: tuple[Token, ...]) -> bool:
    """Whether the verb is a past form that only its accent tells: "oublié", "olvidé"."""
    return any(sentence.text[: one.end - sentence.start].endswith("é") for one in verb)


def _phrases(known: FactWords, *, is_asked: bool) -> Iterator[tuple[CommandKind, Phrases, bool]]:
    yield CommandKind.FORGET, known.forget_topic, True
    yield CommandKind.FORGET, known.forget, False
    yield CommandKind.REMEMBER, known.remember, False
    if is_asked:
        yield CommandKind.FORGET, known.forget_asked, False
        yield CommandKind.REMEMBER, known.remember_asked, False


def _content(
    sentence: Part,
    tokens: tuple[Token, ...],
    words: Phrase,
    first: int,
    known: FactWords,
    *,
    names_topic: bool,
) -> Part | None:
    """The words after a command, if they can be a statement or a topic."""
    last = _last_word(words, known.topic_endings) if names_topic else len(words)
    count = sum(word[0].isalnum() for word in words[first:last])
    if count < (1 if names_topic else _MIN_STATEMENT) or known.not_content.length_at(words, first):
        return None
    start = tokens[first].start - sentence.start
    end = tokens[last - 1].end - sentence.start
    if sentence.text[start - 1] in "'\u2019" and words[first - 1] != "qu":
        return None  # "remember that's …"
    text = sentence.text[start:end].rstrip(_ENDS)
    return Part(start=sentence.start + start, text=text)


def _last_word(words: Phrase, endings: Phrases) -> int:
    """The place after a topic, without the marks and words that may follow one."""
    last = len(words)
    while last and not words[last - 1][0].isalnum():
        last -= 1
    for at in range(max(0, last - 4), last):
        if at + endings.length_at(words, at) == last:
            return _last_word(words[:at], endings)
    return last


def _after_openers(words: Phrase, place: int, known: FactWords) -> int:
    """The place after what may stand before a command."""
    while place < len(words):
        length = known.openers.length_at(words, place)
        if not length and words[place][0].isalnum():
            break
        place += length or 1
    return place
