"""Hostile texts of any length: pieces to repeat, and whole texts."""

import base64
import random
from collections.abc import Callable, Mapping
from itertools import cycle, islice
from typing import Final

SIZES: Final = (50_000, 100_000, 200_000)
"""Characters of the texts, from the shortest to the longest."""

SAMPLE: Final = frozenset({"newlines", "zalgo", "base64", "nested JSON", "quoted SQL", "questions"})
"""Texts that stand for the others at their full length: words, blanks, marks, many tokens."""


def _cycled(part: str) -> Callable[[int], str]:
    return lambda length: "".join(islice(cycle(part), length))


def _chosen_from(alphabet: str) -> Callable[[int], str]:
    """A different text for each length, the same on every run."""
    return lambda length: "".join(random.Random(length).choices(alphabet, k=length))  # noqa: S311


def _base64(length: int) -> str:
    return base64.b64encode(random.Random(length).randbytes(length)).decode()[:length]  # noqa: S311


def _nested_json(length: int) -> str:
    half = length // 2
    return ('{"a":[' * half)[:half] + ("]}" * half)[:half]


def _nested_markdown(length: int) -> str:
    lines = (f"{'>' * (n % 60)} {'  ' * (n % 40)}- **a _b `c` [d](e)_**\n" for n in range(length))
    return "".join(islice("".join(islice(lines, length // 20 + 1)), length))


def _commented_sql(length: int) -> str:
    return "SELECT '" + ("''/*--\"" * length)[: length - 9] + "'"


TEXTS: Final[Mapping[str, Callable[[int], str]]] = {
    "newlines": lambda length: "show sales" + "\n" * (length - 11) + "x",
    "dashes": _cycled("-"),
    "one long word": _cycled("a"),
    "random letters": _chosen_from("abcdefghijklmnopqrstuvwxyz"),
    "nested markdown": _nested_markdown,
    "zalgo": _cycled("a\u0301\u0302\u0303\u0304\u0316\u0317\u0318"),
    "commas": _cycled(","),
    "base64": _base64,
    "nested JSON": _nested_json,
    "right to left": _cycled("שלום עולם \u202e\u0645\u0631\u062d\u0628\u0627\u202c "),
    "spaces": lambda length: "x" + " " * (length - 2) + "x",
    "tag and spaces": lambda length: "<" + " " * (length - 1 - 1) + "x",
    "digits": _cycled("1234567890"),
    "emoji": _cycled("👩‍👩‍👧‍👦🏳️‍🌈"),
    "angle brackets": _cycled("<"),
    "backticks": _cycled("`"),
    "quotes": _cycled("'\""),
    "quoted SQL": _commented_sql,
    "addresses": _cycled("http://a.b/c?d=e&f=g#h://a.b/"),
    "questions": _cycled("What about it? And in 2023? Show me the sales of North, too. "),
    "names": _cycled("Anna Maria Van Den Berg, "),
}

_MARKDOWN = "> - **#** `a` [b](c) | d | *e* _f_ ~~g~~ <h> {i}\n"

HOSTILE_PIECES: dict[str, str] = {
    "empty lines": "\n",
    "blanks": " ",
    "dashes": "-",
    "one long word": "a",
    "capitals": "A",
    "digits": "7",
    "dots": ".",
    "commas": ",",
    "words and commas": "a, ",
    "short sentences": "I am. ",
    "names": "Ann Lee ",
    "code fences": "```",
    "opening tags": "<",
    "tags with blanks": "<   ",
    "thoughts": "<think>",
    "brackets": "(",
    "square brackets": "[",
    "quotes": '"',
    "apostrophes": "'",
    "apostrophes in words": "a'b ",
    "underscores": "_",
    "labels": "User: ",
    "lines of labels": "SQL:\n",
    "markdown": _MARKDOWN,
    "zalgo": "e\u0301\u0323\u0308\u0330",
    "base64": "QUJDREVGRw+/",
    "json": '{"a": [1, 2.5, null, "b"]}, ',
    "right to left": "\u05e9\u05dc\u05d5\u05dd ",
    "no blanks": "\u4e2d\u6587",
    "numbers": "1.234,56 ",
    "dates": "12-03-2024 ",
    "question marks": "? ",
    "carriage returns": "\r",
}
"""The piece that each text repeats, by name."""


def repeated(piece: str) -> Callable[[int], str]:
    """A text of any length that repeats a piece and ends in something else."""
    return lambda length: "show sales" + (piece * (length // len(piece) + 1))[:length] + "x"
