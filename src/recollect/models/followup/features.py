"""What the follow-up network reads: tokens of the question and of the history, newest first.

Training and inference share this module: the network sees the same numbers in both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Word, words_of
from recollect.domain.followup.rules.lists import list_items

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_CLS: Final = 101
_SEP: Final = 102
_CLS_POSITION: Final = 0
_ROLE_MARKS: Final = {Role.USER: 1, Role.ASSISTANT: 2}
_ITEM_MARKS: Final = range(4, 14)
_LAST_ITEM_MARK: Final = 14
"""Stand before the items of a list, which the network cannot count."""
_QUESTION, _HISTORY = 0, 1
_CAPITALISED, _CAPITALS = 2, 4
MOST_QUESTION_TOKENS: Final = 64
TOKEN_TYPES: Final = 6
_LONGEST_WORD: Final = 64  # characters
NO_SPAN: Final = 0
"""The token that stands for 'nothing is inserted here'."""


@dataclass(slots=True)
class Features:
    """The network's input, and the words behind its tokens."""

    token_ids: list[int] = field(default_factory=list)
    token_types: list[int] = field(default_factory=list)
    gap_tokens: list[int] = field(default_factory=list)
    """For each word of the question, and for its end, the first token there."""
    starts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Tokens that begin a word of the history: which block, which word."""
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Tokens that end one."""

    @property
    def previous_tokens(self) -> list[int]:
        """For each gap, the token of the word before it."""
        return [_CLS_POSITION, *self.gap_tokens[:-1]]


def tokens_of(
    tokenizer: "Tokenizer", question: str, blocks: Sequence[Block], *, max_tokens: int
) -> Features:
    """The features of a question after the blocks of its history."""
    features = Features(token_ids=[_CLS], token_types=[_QUESTION])
    _add_question(features, tokenizer, question)
    kept = _tokens_of_title(blocks)
    for number, block in enumerate(blocks):
        room = max_tokens - len(features.token_ids) - 2 - (0 if block.is_title else kept)
        if room > 0:
            _add_block(features, tokenizer, number, block, room)
    return features


def _tokens_of_title(blocks: Sequence[Block]) -> int:
    """As many tokens as a title may need, and its marks; it stands last."""
    return 2 * len(blocks[-1].words) + 2 if blocks and blocks[-1].is_title else 0


def _add_question(features: Features, tokenizer: "Tokenizer", question: str) -> None:
    tokens = _Tokens(tokenizer, words_of(question), room=MOST_QUESTION_TOKENS)
    features.token_ids += [*tokens.ids, _SEP]
    features.token_types += [*tokens.types(_QUESTION), _QUESTION]
    gaps = [len(tokens.ids) + 1]
    for first in reversed(tokens.firsts):
        gaps.append(first + 1 if first is not None else gaps[-1])
    features.gap_tokens = gaps[::-1]


def _add_block(
    features: Features, tokenizer: "Tokenizer", number: int, block: Block, room: int
) -> None:
    items = list_items(block.text, block.words)
    marks = {word: [_ITEM_MARKS[item - 1]] for word, item in items.items()}
    if items:
        marks[max(items)].append(_LAST_ITEM_MARK)
    tokens = _Tokens(tokenizer, block.words, room=room, marks=marks)
    base = len(features.token_ids) + 1
    features.token_ids += [_ROLE_MARKS[block.role], *tokens.ids, _SEP]
    features.token_types += [_HISTORY, *tokens.types(_HISTORY), _HISTORY]
    for word, (first, last) in enumerate(zip(tokens.firsts, tokens.lasts, strict=True)):
        if first is not None and last is not None:
            features.starts[base + first] = (number, word)
            features.ends[base + last] = (number, word)


class _Tokens:
    """Words as tokens, as many as there is room for; `marks` stand before some words."""

    def __init__(
        self,
        tokenizer: "Tokenizer",
        words: Sequence[Word],
        *,
        room: int,
        marks: dict[int, list[int]] | None = None,
    ) -> None:
        texts = [word.text[:_LONGEST_WORD] for word in words]
        encoding = tokenizer.encode(texts, is_pretokenized=True, add_special_tokens=False)
        numbers, offsets = encoding.ids, encoding.offsets  # each access makes a new list
        self.ids: list[int] = []
        self.firsts: list[int | None] = [None] * len(words)
        self.lasts: list[int | None] = [None] * len(words)
        self._pieces: list[str] = []
        for token, word in enumerate(encoding.word_ids):
            if word is None:
                continue
            is_first = self.firsts[word] is None
            before = marks.get(word, []) if marks and is_first else []
            if len(self.ids) + len(before) >= room:
                self.lasts[word] = None  # a word that is cut off cannot be inserted
                break
            self.ids += [*before, numbers[token]]
            start, end = offsets[token]
            self._pieces += [*("" for _ in before), texts[word][start:end]]
            if is_first:
                self.firsts[word] = len(self.ids) - 1
            self.lasts[word] = len(self.ids) - 1

    def types(self, part: int) -> list[int]:
        """The part of the input that the tokens belong to, and whether they have capitals."""
        return [part + _case(piece) for piece in self._pieces]


def _case(piece: str) -> int:
    if not piece[:1].isupper():
        return 0
    return _CAPITALS if len(piece) > 1 and piece.isupper() else _CAPITALISED
