"""What a user tells the memory to remember or to forget, by exact rules.

A command begins its sentence: "please remember that …". What is asked ("do you remember that …?"),
told ("I forgot that …") or to be done ("don't forget to …") is none.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from recollect.domain.facts.reading.commands.bare_statements import (
    bare_statement_at,
    named_person_at,
)
from recollect.domain.facts.reading.commands.command import Command, CommandKind
from recollect.domain.facts.reading.commands.forgetting import (
    end_of_content,
    excepts_something,
    forgetting_at,
)
from recollect.domain.facts.reading.commands.openings import after_openers, before_task
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.facts.reading.own_words.detection import readable_parts
from recollect.domain.facts.reading.standing.languages import standing_words
from recollect.domain.language import is_common_word
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in
from recollect.domain.speech.spoken import Part, sentences_of
from recollect.domain.speech.tokens import Token, token_words, tokens_of

_MIN_STATEMENT: Final = 2
"""The fewest words of a statement: "I smoke"."""
LONGEST_COMMAND: Final = 300
"""Characters of a message that may say nothing but what is to be forgotten."""
_SEARCHED: Final = 2_000
"""Characters of a message in which words of commands are looked for; of longer ones little is read.

No sentence of such a message begins or ends inside a word.
"""
_ENDS: Final = " \t\n.!?…,;:\"'”»)"
_ALONE: Final = frozenset(
    {CommandKind.FORGET_LAST, CommandKind.FORGET_THAT, CommandKind.FORGET_NAMED}
)
"""Kinds that count only where a message says nothing else."""


def commands_in(text: str) -> tuple[Command, ...]:
    """The commands of a user's message, in the order in which they are given."""
    if len(text) <= _SEARCHED and _command_words().isdisjoint(token_words(text)):
        return ()
    parts = (one for part in readable_parts(text) for one in sentences_of(part))
    sentences = [one for one in parts if one.text.strip()]
    found = [_command_of(sentence) for sentence in sentences]
    is_alone = len(sentences) == 1 and len(sentences[0].text) == len(text.strip())
    kept = (
        command
        for command, (_, after) in zip(found, pairwise([*sentences, None]), strict=True)
        if command and not (command.is_sweeping and _is_taken_back(after))
    )
    return tuple(one for one in kept if is_alone or one.kind not in _ALONE)


def may_forget(text: str) -> bool:
    """Whether a message may say nothing but what is to be forgotten.

    Every result of a search is looked at, and hardly any is a command: this takes a tenth of the
    time of reading it.
    """
    return len(text) <= LONGEST_COMMAND and _forgetting_phrases().are_in(words_in(text))


def only_forgets(text: str) -> bool:
    """Whether a user's message says nothing but what is to be forgotten."""
    if not may_forget(text):
        return False
    sentences = [one for one in sentences_of(Part(start=0, text=text)) if one.text.strip()]
    commands = commands_in(text)
    return len(commands) == len(sentences) > 0 and not any(
        command.kind is CommandKind.REMEMBER for command in commands
    )


@cache
def _forgetting_phrases() -> Phrases:
    """Those of which a command to forget has at least one, in any language."""
    return Phrases.joined(
        phrases
        for known in map(fact_words, LANGUAGES)
        for phrases in (
            *(known.forget, known.forget_asked, known.forget_topic),
            *(known.forget_verbs, known.forget_verbs_asked, known.erase_verbs),
            *(known.forget_everything, known.forget_everything_asked),
            *(known.forget_last, known.forget_that, known.jokes),
            *(known.unwanted, known.unwanted_verbs),
        )
    )


@cache
def _command_words() -> frozenset[str]:
    """Words of which every command has one, in any language; thirteen of fourteen messages do not.

    They are one word of each phrase that tells a command.
    """
    words = set(map(_rarest_word, _forgetting_phrases()))
    for known in map(fact_words, LANGUAGES):
        words.update(map(_rarest_word, known.remember_verbs))
        for _, phrases in _phrases(known, is_asked=True):
            words.update(map(_rarest_word, phrases))
    return frozenset(words)


def _rarest_word(phrase: Phrase) -> str:
    """The longest word of a phrase, rather one that means something by itself."""
    words = [word for word in phrase if word.isalnum()]
    telling = [word for word in words if not is_common_word(word)]
    return max(reversed(telling or words), key=len)


def _command_of(sentence: Part) -> Command | None:
    tokens = tuple(tokens_of(sentence))
    words = tuple(token.word for token in tokens)
    for code in LANGUAGES:
        if command := _read(sentence, tokens, words, code):
            return command
    return None


def _read(sentence: Part, tokens: tuple[Token, ...], words: Phrase, code: str) -> Command | None:
    known = fact_words(code)
    place = after_openers(words, 0, known)
    polite = known.polite.length_at(words, place)
    place = after_openers(words, place + polite, known) if polite else place
    if ("?" in words and not polite) or _is_told(sentence, tokens[place : place + 1]):
        return None
    if forgetting := forgetting_at(words, place, code, is_polite=polite > 0):
        text = sentence.text[: tokens[forgetting.end - 1].end - sentence.start]
        start = tokens[place].start
        return Command(
            kind=forgetting.kind,
            content=text[start - sentence.start :],
            start=start,
            slots=forgetting.slots,
            thing=forgetting.thing,
        )
    if excepts_something(words, place, known):
        return None
    return _read_content(sentence, tokens, words, place, known, is_asked=polite > 0)


def _read_content(
    sentence: Part,
    tokens: tuple[Token, ...],
    words: Phrase,
    place: int,
    known: FactWords,
    *,
    is_asked: bool,
) -> Command | None:
    """A command at a place with the statement or the topic behind it."""
    only_asks = "?" in words and not known.please.are_in(words)
    for kind, phrases in _phrases(known, is_asked=is_asked):
        names_topic = kind is CommandKind.FORGET_TOPIC
        if names_topic and only_asks:
            continue
        if length := phrases.length_at(words, place):
            first = place + length
            if known.subjects.length_at(words, first - 1):
                first -= 1
            content = _content(sentence, tokens, words, first, known, names_topic=names_topic)
            if content:
                return Command(kind=kind, content=content.text, start=content.start)
    bare = bare_statement_at(words, place, known)
    capitals = _capitals(sentence, tokens)
    bare = bare or named_person_at(words, place, known, capitals=capitals)
    content = _content(sentence, tokens, words, bare, known) if bare else None
    if content is None:
        return None
    return Command(kind=CommandKind.REMEMBER, content=content.text, start=content.start)


def _capitals(sentence: Part, tokens: tuple[Token, ...]) -> frozenset[int]:
    """The places of words that are written with a capital."""
    firsts = (sentence.text[token.start - sentence.start] for token in tokens)
    return frozenset(at for at, first in enumerate(firsts) if first.isupper())


def _is_told(sentence: Part, verb: tuple[Token, ...]) -> bool:
    """Whether the verb is a past form that only its accent tells: "oublié", "olvidé"."""
    return any(sentence.text[: one.end - sentence.start].endswith("é") for one in verb)


def _is_taken_back(sentence: Part | None) -> bool:
    """Whether a sentence takes back the command before it, and is none itself."""
    if sentence is None:
        return False
    words = tuple(word for word in words_in(sentence.text) if word != ",")
    is_joke = any(fact_words(code).jokes.length_at(words) for code in LANGUAGES)
    if _command_of(sentence) and not is_joke:
        return False
    return is_joke or any(standing_words(code).retractions.length_at(words) for code in LANGUAGES)


def _phrases(known: FactWords, *, is_asked: bool) -> Iterator[tuple[CommandKind, Phrases]]:
    yield CommandKind.FORGET_TOPIC, known.forget_topic
    yield CommandKind.FORGET, known.forget
    yield CommandKind.REMEMBER, known.remember
    if is_asked:
        yield CommandKind.FORGET, known.forget_asked
        yield CommandKind.REMEMBER, known.remember_asked


def _content(
    sentence: Part,
    tokens: tuple[Token, ...],
    words: Phrase,
    first: int,
    known: FactWords,
    *,
    names_topic: bool = False,
) -> Part | None:
    """The words after a command, if they can be a statement or a topic."""
    told = words if names_topic else words[: before_task(words, first, known)]
    last = end_of_content(told, known.topic_endings if names_topic else known.please)
    count = sum(word[0].isalnum() for word in words[first:last])
    if count < (1 if names_topic else _MIN_STATEMENT) or known.not_content.length_at(words, first):
        return None
    start = tokens[first].start - sentence.start
    is_cut = names_topic or len(told) < len(words) or known.please.are_in(words[last:])
    end = tokens[last - 1].end - sentence.start if is_cut else len(sentence.text)
    if sentence.text[start - 1] in "'\u2019" and words[first - 1] != "qu":
        return None  # "remember that's …"
    text = sentence.text[start:end].rstrip(_ENDS)
    return Part(start=sentence.start + start, text=text)
