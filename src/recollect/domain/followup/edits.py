"""Span edits: a follow-up made standalone with its own words and spans of the history alone.

A question is cut into words. Some of its words are deleted, and before any word (or at the end)
up to three spans of the history are inserted, each after an optional connecting word. Nothing can
be invented: every content word comes from the question or from the history.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage

MAX_QUESTION_WORDS: Final = 40
SLOTS: Final = 3
"""How many spans may be inserted at one place."""
_WORD: Final = re.compile(
    r"(?i:qu|[cdjlmnst])['\u2019](?=[^\W\d_])"  # French elisions are words of their own
    r"|[a-zà-ÿ][^\W\d_]*?(?:[aeiáéí]r|ndo)(?=l[aeo]s?\b)"  # Spanish pronouns can be deleted
    r"|\d+(?:[.,:]\d+)*|[^\W_]+|[^\w\s]|_"
)
_CHARACTERS_A_WORD: Final = 12  # of a long message no more is cut into words than can be used
_FEWEST_WORDS: Final = 8  # of a message that is worth reading
_ROOM_FOR_FIRST: Final = 20  # words that the first question may always have
_LONGEST_TITLE: Final = 14  # words; what an assistant opens with may name the topic
_LONGEST_CACHED: Final = 400  # characters
_CACHED_TEXTS: Final = 256  # at most some 4 MB
_LONGEST_ELISION: Final = 3  # characters
_SPACE: Final = re.compile(r"\s+")
_NO_SPACE_AFTER: Final = frozenset("([{“\"'\u2019-/$€£#¿¡«@")
_CLOSING_QUOTES: Final = frozenset("\"'")
_NO_SPACE_BEFORE: Final = frozenset(".,?!;:)]}\u2019'%»")
_SENTENCE_ENDS: Final = frozenset(".?!:¿¡\n")


class Word(NamedTuple):
    """A word, a number or a sign, and where it stands in its text."""

    text: str
    start: int
    end: int

    @property
    def is_sign(self) -> bool:
        """Whether it is punctuation."""
        return not self.text[0].isalnum()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The beginning of one message of the history, as much of it as is read."""

    role: Role
    text: str
    words: tuple[Word, ...]
    is_title: bool = False
    """Whether it names what the whole conversation is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingLimits:
    """How many words of a history are read: of each message, and of all together."""

    last_reply: int = 48
    reply: int = 28
    user: int = 40
    total: int = 84
    messages: int = 5


class Span(NamedTuple):
    """Words of a block, the first and the last one included."""

    block: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """A span of the history, inserted before a word of the question."""

    gap: int
    span: Span
    connector: str = ""
    is_possessive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """What turns a question into a standalone one; in the order of its words."""

    deleted: frozenset[int] = frozenset()
    insertions: tuple[Insertion, ...] = ()
    articles: tuple[tuple[int, str], ...] = ()
    """What stands in the place of deleted possessives."""


def words_of(text: str) -> tuple[Word, ...]:
    """Cut a text into words, numbers and signs."""
    return words_of_question(text) if len(text) <= _LONGEST_CACHED else _cut_words(text)


def _cut_words(text: str) -> tuple[Word, ...]:
    return tuple([Word(match[0], *match.span()) for match in _WORD.finditer(text)])


words_of_question = lru_cache(maxsize=_CACHED_TEXTS)(_cut_words)
"""A turn's rules and model read each recent question a dozen times."""


@lru_cache(maxsize=_CACHED_TEXTS)
def spoken_words(question: str) -> tuple[str, ...]:
    """The words of a question in small letters, without signs."""
    return tuple([word.text.lower() for word in words_of(question) if not word.is_sign])


def straight_words(question: str) -> tuple[str, ...]:
    """The spoken words of a question with straight apostrophes."""
    return spoken_words(question.replace("\u2019", "'"))


def recent_blocks(history: Sequence[HistoryMessage], limits: ReadingLimits) -> list[Block]:
    """The end of a history, newest message first.

    The first question always has a place, and so has a title that the conversation opens with.
    """
    first_question = next((i for i, one in enumerate(history) if one.role is Role.USER), None)
    title = opening_title(history)
    blocks: list[Block] = []
    left = limits.total - (len(title.words) if title is not None else 0)
    for index in range(len(history) - 1, -1, -1):
        message = history[index]
        if not message.content.strip():
            continue
        if index == 0 and title is not None:
            blocks.append(title)
            continue
        is_full = len(blocks) >= limits.messages or left < _FEWEST_WORDS
        if index != first_question and (is_full or left < _ROOM_FOR_FIRST):
            continue
        allowed = _allowed_words(message, limits, is_last=index == len(history) - 1)
        block = _cut(message, min(allowed, max(left, _ROOM_FOR_FIRST)))
        blocks.append(block)
        left -= len(block.words)
    return blocks


def opening_title(history: Sequence[HistoryMessage]) -> Block | None:
    """What a conversation opens with, if that is a few words of the assistant's and no sentence."""
    first = history[0] if history else None
    if first is None or first.role is Role.USER or first.content.rstrip()[-1:] in _SENTENCE_ENDS:
        return None
    block = _cut(first, _LONGEST_TITLE + 1)
    is_short = 0 < len(block.words) <= _LONGEST_TITLE
    return replace(block, is_title=True) if is_short else None


def _allowed_words(message: HistoryMessage, limits: ReadingLimits, *, is_last: bool) -> int:
    if message.role is Role.USER:
        return limits.user
    return limits.last_reply if is_last else limits.reply


def _cut(message: HistoryMessage, count: int) -> Block:
    text = message.content[: count * _CHARACTERS_A_WORD]
    words = words_of(text)[:count]
    return Block(role=message.role, text=text[: words[-1].end] if words else "", words=words)


def apply_edits(
    question: str,
    blocks: Sequence[Block],
    edits: Edits,
    *,
    function_words: frozenset[str],
    small_words: frozenset[str] = frozenset(),
) -> str:
    """Carry out edits.

    `function_words` of the history lose the capital of a sentence's first word, `small_words` of
    the question's language lose it where something comes in before them.
    """
    sentence = _Sentence()
    words = words_of(question)
    for index in range(len(words) + 1):
        for insertion in edits.insertions:
            if insertion.gap == index:
                sentence.add(insertion.connector)
                sentence.add(_span_text(blocks, insertion, function_words))
                sentence.end_phrase()
        if index == len(words) or index in edits.deleted:
            sentence.add(dict(edits.articles).get(index, ""))
            continue
        word = words[index]
        inserted = any(one.gap == index for one in edits.insertions)
        follows = index > 0 and index - 1 not in edits.deleted and not inserted
        # Between its own words the question keeps its own spaces, and before quotation marks.
        is_apart = index > 0 and word.start > words[index - 1].end
        is_quote = word.text in _CLOSING_QUOTES and is_apart
        text = word.text
        if index == 0 and inserted and text.lower() in small_words and len(text) > 1:
            text = text.lower()  # it no longer begins the sentence
        sentence.add(text, has_space=is_apart if follows or is_quote else None)
    return sentence.finished() or question


def _span_text(
    blocks: Sequence[Block], insertion: Insertion, function_words: frozenset[str]
) -> str:
    block = blocks[insertion.span.block]
    first, last = block.words[insertion.span.first], block.words[insertion.span.last]
    text = _with_closing_quote(block.text, first.start, last.end)
    opens_sentence = first.start == 0 or block.text[: first.start].rstrip()[-1:] in _SENTENCE_ENDS
    if opens_sentence and first.text.lower() in function_words:
        text = text[0].lower() + text[1:]
    return text + ("'s" if insertion.is_possessive else "")


def _with_closing_quote(text: str, start: int, end: int) -> str:
    """A part of a text; with the sign that follows it, if that closes a quotation begun in it."""
    part, following = text[start:end], text[end : end + 1]
    if following in {"!", "?", "."} and text[end + 1 : end + 2] == '"' and part.count('"') % 2:
        return text[start : end + 2]  # the sign belongs to the title: "Who Are You?"
    opened = {"\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb", "(": ")"}
    is_closing = following in {'"', "'"} and part.count(following) % 2 == 1
    is_pair = any(
        following == close and part.count(sign) > part.count(close)
        for sign, close in opened.items()
    )
    return part + following if is_closing or is_pair else part


class _Sentence:
    """Puts pieces together with spaces where a reader expects them."""

    def __init__(self) -> None:
        self._text = ""
        self._is_phrase_ended = False

    def add(self, piece: str, *, has_space: bool | None = None) -> None:
        """Append a piece, with a space before it or not; None where the signs decide."""
        if not piece:
            return
        if has_space is None:
            is_open = bool(self._text) and self._text[-1] in _NO_SPACE_AFTER
            joins = (is_open and not self._is_phrase_ended) or piece[0] in _NO_SPACE_BEFORE
            has_space = bool(self._text) and not joins
        self._text += (" " if has_space else "") + piece
        self._is_phrase_ended = False

    def end_phrase(self) -> None:
        """Say that a phrase is complete: a quotation mark at its end closes it."""
        last = self._text.rsplit(" ", 1)[-1]
        is_elision = len(last) <= _LONGEST_ELISION and last[:1].isalpha()  # "d'", "qu'"
        self._is_phrase_ended = last[-1:] in _CLOSING_QUOTES and not is_elision

    def finished(self) -> str:
        """The sentence, with a capital and without signs at its beginning."""
        text = _SPACE.sub(" ", self._text).strip().lstrip(" ,;:.")
        letter = len(text) - len(text.lstrip("¿¡"))
        if any(sign.isupper() for sign in text[letter:].split(" ", 1)[0][1:]):
            return text  # iPhone
        return text[:letter] + text[letter : letter + 1].upper() + text[letter + 1 :]
