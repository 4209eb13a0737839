"""What a reasoning model thinks aloud before it answers, which nobody needs to remember."""

import re
from collections.abc import Iterator
from typing import Final

_OPENING: Final = re.compile(
    r"<(?P<tag>think|thinking|details)(?P<attributes>\b[^<>]*)>", re.IGNORECASE
)
_REASONING: Final = re.compile(r"\btype=[\"']reasoning[\"']", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """A text without `<think>…</think>`, nor the block that chat clients fold thoughts into."""
    return "".join(_kept(text)) if "<" in text else text


def _kept(text: str) -> Iterator[str]:
    """The parts between thoughts, found in one pass whatever the text holds."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have a longer small form; tags have none
        lowered = text
    start, place, unclosed = 0, 0, set[str]()
    while opening := _OPENING.search(text, place):
        place = opening.end()
        tag = opening["tag"].lower()
        is_thought = tag != "details" or bool(_REASONING.search(opening["attributes"]))
        if not is_thought or tag in unclosed:
            continue
        end = lowered.find(f"</{tag}>", place)
        if end < 0:
            unclosed.add(tag)
            continue
        yield text[start : opening.start()]
        start = place = end + len(tag) + 3
    yield text[start:]
