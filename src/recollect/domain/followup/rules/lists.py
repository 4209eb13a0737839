"""Finding the items of lists in a message, so that "the second one" can be counted."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from recollect.domain.followup.languages import installed, words_for

if TYPE_CHECKING:
    from recollect.domain.followup.edits import Word

MOST_ITEMS: Final = 10
_BULLETS: Final = frozenset("-*•\u2013·")
_MARKUP: Final = frozenset("*_`#|>-•\u2013·.)")
_RULE: Final = re.compile(r"[\s|:+=-]+")
_PAIR: Final = 2
_TITLE_END: Final = re.compile(r"\s[\u2013\u2014-]\s|[:(;,.](?=\s|$)|\s\(")
_LONGEST_ITEM: Final = 8  # words


def list_items(text: str, words: "Sequence[Word]") -> dict[int, int]:
    """The first word of each item of the message's lists, and the item's number from 1 on.

    Lists are bulleted or numbered lines, the rows of a table, or what follows a colon, separated
    by commas or 'and'. Items past the tenth are left out.
    """
    starts = {word.start: index for index, word in enumerate(words)}
    items: dict[int, int] = {}
    for number, offset, end in _line_items(text):
        index = _first_word(starts, words, offset, end)
        if index is not None and number <= MOST_ITEMS:
            items.setdefault(index, number)
    return items or _inline_items(words)


@cache
def _joining_words() -> frozenset[str]:
    """Those of all languages: a reply may be in another one than the question."""
    return frozenset().union(*(words_for(code).joining_words for code in installed()))


def item_titles(text: str) -> list[str]:
    """What the items of the only list of a message are called; empty if there is none, or two.

    Only bulleted and numbered lines count: what stands in a sentence may be something else.
    """
    items = [item for item in _line_items(text) if text[item[1] - 1] != "|"]
    numbers = [number for number, _, _ in items]
    if len(items) < _PAIR or numbers != list(range(1, len(items) + 1)):
        return []
    return [_title(text[begin:end].strip()) for _, begin, end in items]


def _title(item: str) -> str:
    """What stands in bold; without that, the words before the first comma, colon or dash."""
    bold = item.split("**", 2)
    title = bold[1] if len(bold) > _PAIR else _TITLE_END.split(item, maxsplit=1)[0]
    return title.strip("*_`: ")


def _line_items(text: str) -> Iterator[tuple[int, int, int]]:
    """Number, beginning and end of items that have a line of their own."""
    offset, count, is_table = 0, 0, False
    for line in text.split("\n"):
        stripped = line.strip()
        place = offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
        if not stripped:
            continue
        if stripped[0] == "|":
            if _RULE.fullmatch(stripped):  # what came before was the table's head
                is_table, count = True, 0
            elif is_table:
                count += 1
                yield count, place + 1, offset
            continue
        mark = _marker_length(stripped)
        if mark:
            count = 1 if is_table else count + 1
            is_table = False
            yield count, place + mark, offset
        elif not line[:1].isspace():
            count, is_table = 0, False


def _marker_length(line: str) -> int:
    """How long the bullet or number at the beginning of a line is; 0 without one."""
    if line[0] in _BULLETS:
        return 1 if len(line) > 1 and line[1] in " \t" else 0
    digits = len(line) - len(line.lstrip("0123456789"))
    is_number = 0 < digits <= 2 and line[digits : digits + 1] in {".", ")"}  # noqa: PLR2004  # digits
    return digits + 1 if is_number and line[digits + 1 : digits + 2] in {" ", "\t"} else 0


def _first_word(
    starts: dict[int, int], words: "Sequence[Word]", offset: int, end: int
) -> int | None:
    """The index of the first word between two offsets that is not markup."""
    place = offset
    while place < end:
        index = starts.get(place)
        if index is not None and words[index].text not in _MARKUP:
            return index
        place += 1
    return None


def _inline_items(words: "Sequence[Word]") -> dict[int, int]:
    """The items of the first list within a sentence: after a colon, or joined by 'and'."""
    after_colon = next((i + 1 for i, word in enumerate(words) if word.text == ":"), None)
    if after_colon is not None:
        items = [part[0] for part in _parts(words, after_colon) if part]
        return _numbered(items)
    begin = 0
    while begin < len(words):
        parts = _parts(words, begin)
        if _is_enumeration(words, parts):
            return _numbered([_first_item(words, parts[0]), *(part[0] for part in parts[1:])])
        begin = max((part[-1] for part in parts if part), default=begin) + 1
        while begin < len(words) and words[begin].is_sign:
            begin += 1
    return {}


def _numbered(items: list[int]) -> dict[int, int]:
    """Items by their first word; none if there is a single one."""
    return (
        dict(zip(items[:MOST_ITEMS], range(1, MOST_ITEMS + 1), strict=False)) if items[1:] else {}
    )


def _parts(words: "Sequence[Word]", begin: int) -> list[list[int]]:
    """The words of a sentence between its commas and joining words, without what is in brackets."""
    parts: list[list[int]] = [[]]
    depth = 0
    for index in range(begin, len(words)):
        text = words[index].text
        if text in "([":
            depth += 1
        elif text in ")]":
            depth = max(0, depth - 1)
        elif depth == 0 and text in ".?!":
            break
        elif depth == 0 and (text in ",;" or text.lower() in _joining_words()):
            if parts[-1]:
                parts.append([])
        elif depth == 0 and not words[index].is_sign:
            parts[-1].append(index)
    return parts if parts[-1] else parts[:-1]


def _is_enumeration(words: "Sequence[Word]", parts: list[list[int]]) -> bool:
    """Whether the parts of a sentence are three things, or two names, side by side."""
    if len(parts) < _PAIR or not all(len(part) <= _LONGEST_ITEM for part in parts[1:-1]):
        return False
    joint = words[parts[-1][0] - 1].text.lower()
    if joint not in _joining_words():
        return False
    if len(parts) > _PAIR:
        return True
    return _is_name(words[parts[0][-1]]) and any(map(_is_name, (words[i] for i in parts[1][:2])))


def _first_item(words: "Sequence[Word]", part: list[int]) -> int:
    """Where the first thing begins among the words before the first comma: "We sell the |Duo 5"."""
    item = part[-1]
    for index in reversed(part):
        if not _is_name(words[index]):
            break
        item = index
    return item


def _is_name(word: "Word") -> bool:
    return not word.text[0].islower()
