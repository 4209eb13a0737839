"""The text of a message's content, given whole or in parts."""

from collections.abc import Iterator, Mapping
from typing import Final

from recollect.domain.completions.front_end_prompts import words_in
from recollect.domain.text import JsonValue

_TEXT_PARTS: Final = ("text", "input_text")  # no set: what is asked for may be unhashable
_MAX_KINDS: Final = 200


def text_of(content: JsonValue) -> str:
    """The text of a content as it is."""
    return "\n".join(_texts(content))


def words_of(content: JsonValue) -> str:
    """What a user said in a content, without what a front end has added to it."""
    words = (words_in(text) for text in _texts(content))
    return "\n".join(said for said in words if said)


def kinds_of(content: JsonValue) -> str:
    """What stands for a content without words: `[image_url]`, or nothing.

    Nothing stands for a text that a front end has written.
    """
    parts = content if isinstance(content, list) else []
    kinds = (
        part.get("type") for part in parts if isinstance(part, Mapping) and not _has_text(part)
    )
    named = " ".join(f"[{kind}]" for kind in kinds if isinstance(kind, str) and kind.isidentifier())
    return named[:_MAX_KINDS]


def _texts(content: JsonValue) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        if isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS:
            text = part.get("text")
            if isinstance(text, str):
                yield text


def _has_text(part: Mapping[str, JsonValue]) -> bool:
    text = part.get("text")
    return part.get("type") in _TEXT_PARTS and isinstance(text, str) and bool(text.strip())
