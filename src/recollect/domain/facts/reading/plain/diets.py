"""Diets that exclude each other: who is vegan is not vegetarian, and both are told plainly.

What holds for some meals only, or for somebody else, is none: "I'm mostly vegetarian at work".
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.domain.facts.fact import MERGED_BY
from recollect.domain.facts.reading.paraphrase import negates
from recollect.domain.facts.reading.plain import languages
from recollect.domain.speech.phrases import LANGUAGES, Phrase, Phrases, words_in

_AROUND: Final = frozenset({"being", "between", "after", "partly"})


def diet_of(content: str) -> str | None:
    """The diet that a sentence says the user keeps; None if it says none, or more than that."""
    if MERGED_BY in content or negates(content):
        return None
    words = words_in(content)
    return next((diet for code in LANGUAGES if (diet := _diet(words, code))), None)


def keep_other_diets(content: str, other: str) -> bool:
    """Whether two sentences say that the user keeps diets of which one excludes the other."""
    first = diet_of(content)
    second = diet_of(other) if first else None
    return second is not None and first != second


def _diet(words: Phrase, code: str) -> str | None:
    tables = _tables(code)
    place = tables["between"].length_at(words)
    place += tables["being"].length_at(words, place)
    if not tables["being"].are_in(words[:place]) or tables["partly"].are_in(words):
        return None
    diets = {name: phrases for name, phrases in tables.items() if name not in _AROUND}
    while place < len(words):
        for name, phrases in diets.items():
            if length := phrases.length_at(words, place):
                return name if _may_end(words, place + length, tables["after"]) else None
        length = tables["between"].length_at(words, place)
        if not length:
            return None
        place += length
    return None


def _may_end(words: Phrase, place: int, after: Phrases) -> bool:
    """Whether no word follows that makes it something else: "vegan burgers"."""
    return not words[place : place + 1] or words[place] == "," or after.length_at(words, place) > 0


@cache
def _tables(code: str) -> Mapping[str, Phrases]:
    text = files(languages).joinpath("diets.toml").read_text("utf-8")
    tables: Mapping[str, str] = tomllib.loads(text)[code]
    return {name: Phrases.parse(phrases) for name, phrases in tables.items()}
