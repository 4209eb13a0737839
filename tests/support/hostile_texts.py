"""Texts that programs choke on, of any length."""

import base64
import random
from collections.abc import Callable, Mapping
from itertools import cycle, islice
from typing import Final

SIZES: Final = (50_000, 100_000, 200_000)
"""Characters of the texts, from the shortest to the longest."""

SAMPLE: Final = frozenset({"newlines", "zalgo", "base64", "nested JSON", "quoted SQL", "questions"})
"""Texts that stand for the others at their full length: words, blanks, marks, many tokens."""


def _repeated(part: str) -> Callable[[int], str]:
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
    "dashes": _repeated("-"),
    "one long word": _repeated("a"),
    "random letters": _chosen_from("abcdefghijklmnopqrstuvwxyz"),
    "nested markdown": _nested_markdown,
    "zalgo": _repeated("a\u0301\u0302\u0303\u0304\u0316\u0317\u0318"),
    "commas": _repeated(","),
    "base64": _base64,
    "nested JSON": _nested_json,
    "right to left": _repeated("שלום עולם \u202e\u0645\u0631\u062d\u0628\u0627\u202c "),
    "spaces": lambda length: "x" + " " * (length - 2) + "x",
    "tag and spaces": lambda length: "<" + " " * (length - 1 - 1) + "x",
    "digits": _repeated("1234567890"),
    "emoji": _repeated("👩‍👩‍👧‍👦🏳️‍🌈"),
    "angle brackets": _repeated("<"),
    "backticks": _repeated("`"),
    "quotes": _repeated("'\""),
    "quoted SQL": _commented_sql,
    "addresses": _repeated("http://a.b/c?d=e&f=g#h://a.b/"),
    "questions": _repeated("What about it? And in 2023? Show me the sales of North, too. "),
    "names": _repeated("Anna Maria Van Den Berg, "),
}
