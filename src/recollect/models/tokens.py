"""Counting tokens: exactly with the encodings of OpenAI, about for other families of models.

The tokenizers hold Python's interpreter lock while they count, 1 µs per character at worst (runs
of dashes): a text of a megabyte would stop every thread for a second. Long texts are counted in
pieces, which take a few milliseconds each.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Final, NamedTuple

from recollect.domain.model_names import is_of_family, remembering_names
from recollect.ports.models import TokenCounter

LONGEST: Final = 2_000
"""Characters of a piece, at most."""
_LOOKED_AT: Final = 250
"""Characters at the end of a piece that are searched for a place to cut."""
_NEVER_BETWEEN: Final = frozenset("LM")
"""Unicode's letters and marks: a token may continue between them."""
_DIGITS = re.compile(r"[0-9]{2,}")
_DIGITS_A_TOKEN: Final = 3
_MAX_CACHED: Final = 50_000  # a few megabytes
_MORE_IF_WHOLE: Final = 4
"""Tokens that a text may have more than the two pieces of it; at most 2 were seen."""


class Piece(NamedTuple):
    """A part of a text."""

    text: str
    is_torn: bool
    """Whether the cut to the next piece may be within a token."""


def pieces(text: str) -> Iterator[Piece]:
    """Cut a text into pieces, between tokens where possible.

    The pieces of a text's beginning are those of the text, but for the last one or two.
    """
    start = 0
    while len(text) - start > LONGEST:
        end = _token_end(text, start)
        yield Piece(text[start : end or start + LONGEST], is_torn=end is None)
        start = end or start + LONGEST
    yield Piece(text[start:], is_torn=False)


def _token_end(text: str, start: int) -> int | None:
    """The last place of a piece where a cut does not change the tokens."""
    for place in range(start + LONGEST, start + LONGEST - _LOOKED_AT, -1):
        if _is_token_end(text[place - 1], text[place]):
            return place
    return None


def _is_token_end(before: str, after: str) -> bool:
    """Whether OpenAI's encodings always end a token between the two characters.

    Their patterns take a space only at the start of a token or among white space, and letters
    only with letters, marks and `'s` behind them.
    """
    if after == " ":
        return not before.isspace()
    return (
        before.isalpha() and after != "'" and unicodedata.category(after)[0] not in _NEVER_BETWEEN
    )


class Encoding(StrEnum):
    """The encodings whose vocabularies come with Recollect."""

    CL100K = "cl100k_base"
    O200K = "o200k_base"


@dataclass(frozen=True, slots=True)
class ExactTokenCounter:
    """Counts exactly as models of that encoding do; loads the vocabulary at the first count.

    A special token in a text, such as `<|endoftext|>`, counts as plain text.
    """

    encoding: Encoding

    @property
    def is_ready(self) -> bool:
        """Whether the vocabulary is loaded."""
        return self.encoding in _LOADED

    def count(self, text: str, *, limit: int | None = None) -> int:
        """How many tokens the text has; a lone surrogate counts as a question mark."""
        if not text:
            return 0
        return _count_pieces(text, _count_with(self.encoding), limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateTokenCounter:
    """Estimates the tokens of models whose vocabulary is not installed."""

    factor: float
    """How many tokens the models need for one of cl100k."""
    splits_digits: bool = True
    """Whether each digit is a token."""

    @property
    def is_ready(self) -> bool:
        """Whether the vocabulary it counts with is loaded."""
        return _CL100K.is_ready

    def count(self, text: str, *, limit: int | None = None) -> int:
        """About how many tokens the text has, rather too many than too few."""
        tokens = _count_pieces(text, _count_digits if self.splits_digits else _CL100K.count, limit)
        return math.ceil(tokens * self.factor)


_LOADED: Final[dict[Encoding, Callable[[str], int]]] = {}
_O200K: Final = ExactTokenCounter(Encoding.O200K)
_CL100K: Final = ExactTokenCounter(Encoding.CL100K)
_SMALL_VOCABULARY: Final = ApproximateTokenCounter(factor=1.4)
_LLAMA_3: Final = ApproximateTokenCounter(factor=1.0, splits_digits=False)
_QWEN: Final = ApproximateTokenCounter(factor=1.05)
_ANY_OTHER: Final = ApproximateTokenCounter(factor=1.25)
_FAMILIES: Final[tuple[tuple[str, TokenCounter], ...]] = (
    ("gpt4o* gpt4.1* gpt4.5* gpt5* gptoss* chatgpt*", _O200K),
    ("o[134] o[134]mini* o[134]pro* o[134]preview* o[134]20*", _O200K),
    ("gpt4* gpt3.5* gpt35* textembedding*", _CL100K),
    ("*llama[34]*", _LLAMA_3),
    ("*qwen* qwq*", _QWEN),
    ("*mistrallarge* *mistral:* *mistral *mistral7b* *mixtral*", _SMALL_VOCABULARY),
    ("*llama2* *codellama* *tinyllama* *vicuna*", _SMALL_VOCABULARY),
)


@remembering_names
def token_counter_for(model: str | None) -> TokenCounter:
    """The counter for the model of that name: exact if its encoding is known."""
    counters = (counter for patterns, counter in _FAMILIES if is_of_family(model, patterns))
    return next(counters, _ANY_OTHER)


def _count_pieces(text: str, count: Callable[[str], int], limit: int | None) -> int:
    """Add up what the pieces of a text count, up to the first that passes the limit."""
    if len(text) <= LONGEST:
        return count(text)
    tokens = 0
    for piece in pieces(text):
        tokens += count(piece.text) + _MORE_IF_WHOLE * piece.is_torn
        if limit is not None and tokens > limit:
            break
    return tokens


def _count_with(encoding: Encoding) -> Callable[[str], int]:
    """The counter of an encoding; loading it takes 50 to 130 ms and 32 to 67 MB, once."""
    count = _LOADED.get(encoding)
    if count is None:
        count = _LOADED[encoding] = _cached(_replacing_surrogates(_load(encoding)))
    return count


def _load(encoding: Encoding) -> Callable[[str], int]:
    if find_spec("rs_bpe") is None:
        return count_with_bpe_openai(encoding)
    from rs_bpe.bpe import openai  # noqa: PLC0415  # see `_count_with`

    load = openai.cl100k_base if encoding is Encoding.CL100K else openai.o200k_base
    count: Callable[[str], int] = load().count
    return count


def _replacing_surrogates(count: Callable[[str], int]) -> Callable[[str], int]:
    def counted(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:
            return count(text.encode(errors="replace").decode())

    return counted


def _cached(count: Callable[[str], int]) -> Callable[[str], int]:
    """Cache counts: the messages of a conversation come again with each turn.

    The cache holds a number for the hash of each text, and no text.
    """
    counts: dict[int, int] = {}

    def counted(text: str) -> int:
        key = hash(text)
        tokens = counts.get(key)
        if tokens is None:
            tokens = count(text)
            if len(counts) >= _MAX_CACHED:
                counts.clear()
            counts[key] = tokens
        return tokens

    return counted


def count_with_bpe_openai(encoding: Encoding) -> Callable[[str], int]:
    """The same counts by another library, slower to load, for Pythons without rs-bpe."""
    import bpe_openai  # noqa: PLC0415  # takes a second or two

    encode = bpe_openai.get_encoding(encoding.value).encode
    return lambda text: len(encode(text, disallowed_special=()))


@_cached
def _count_digits(text: str) -> int:
    """What cl100k counts, with a token for each digit."""
    runs = map(len, _DIGITS.findall(text))
    return _CL100K.count(text) + sum(run - math.ceil(run / _DIGITS_A_TOKEN) for run in runs)
