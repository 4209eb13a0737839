"""Texts that nobody writes, and that somebody sends."""

from collections.abc import Callable

_MARKDOWN = "> - **#** `a` [b](c) | d | *e* _f_ ~~g~~ <h> {i}\n"

HOSTILE_TEXTS: dict[str, str] = {
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
"""What each of them repeats, by name."""


def repeated(piece: str) -> Callable[[int], str]:
    """A text of any length that repeats a piece and ends in something else."""
    return lambda length: "show sales" + (piece * (length // len(piece) + 1))[:length] + "x"
