"""What the fact network reads: the tokens of a message, and of what was said before it.

Training and inference share this module: the network sees the same numbers in both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recollect.domain.conversation.message import Role

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_CLS: Final = 101
_SEP: Final = 102
_ROLE_MARKS: Final = {Role.USER: 1, Role.ASSISTANT: 2}
_MESSAGE, _BEFORE = 0, 1
_CAPITALISED, _CAPITALS = 2, 4
MAX_MESSAGE_TOKENS: Final = 192
_MAX_BEFORE_TOKENS: Final = 56
"""Of each message before: its end, where questions are asked."""
MAX_CHARACTERS: Final = 1_500
"""Of a message; the tokens of more would be cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The network's input, and where in the message its tokens are."""

    token_ids: list[int]
    token_types: list[int]
    offsets: list[tuple[int, int]]
    """Of the message's tokens, which come after the first one."""


def tokens_of(
    tokenizer: "Tokenizer", text: str, before: Sequence[tuple[Role, str]] = ()
) -> Features:
    """The features of a message after others, newest first."""
    encoded = tokenizer.encode(text[:MAX_CHARACTERS], add_special_tokens=False)
    ids, offsets = encoded.ids[:MAX_MESSAGE_TOKENS], encoded.offsets[:MAX_MESSAGE_TOKENS]
    types = [_MESSAGE + _case(text[start:end]) for start, end in offsets]
    token_ids, token_types = [_CLS, *ids, _SEP], [_MESSAGE, *types, _MESSAGE]
    for role, earlier in before:
        end = earlier[-MAX_CHARACTERS:]
        context = tokenizer.encode(end, add_special_tokens=False).ids[-_MAX_BEFORE_TOKENS:]
        token_ids += [_ROLE_MARKS[role], *context, _SEP]
        token_types += [_BEFORE] * (len(context) + 2)
    return Features(token_ids=token_ids, token_types=token_types, offsets=offsets)


def _case(piece: str) -> int:
    if not piece[:1].isupper():
        return 0
    return _CAPITALS if len(piece) > 1 and piece.isupper() else _CAPITALISED
