"""Quoting texts so that nothing in them passes for the frame they stand in."""

import re
from typing import Final

_LABELS: Final = (
    *("===", "**", "INSTRUCTIONS:", "User asked:", "Assistant answered", "SQL:", "Answer:"),
    *("User:", "Assistant:", "System:", "Summary:"),
    *("Gebruiker:", "Assistent:", "Systeem:", "Samenvatting:"),
    *("Previously:", "Previously, on", "Eerder, op"),
    *("Tables used:", "SQL pattern:", "Result summary:"),
    *("(In this conversation the question means:", "(In dit gesprek betekent de vraag:"),
    *("Standing instruction of", "Blijvende instructie van", 'Profile "', 'Profiel "'),
    *("Known since", "Bekend sinds"),
)
_BREAKS: Final = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_BLANKS: Final = r" \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
# Blanks without breaks: each line is looked at once, where thousands of empty lines are, too.
_FIRSTS: Final = re.escape("".join(sorted({label[0] for label in _LABELS})))
_OUR_LABEL: Final = re.compile(
    rf"(?:^|(?<=[{_BREAKS}]))(?=[{_BLANKS}>]*+(?=[{_FIRSTS}])(?:"
    + "|".join(map(re.escape, _LABELS))
    + "))",
    re.IGNORECASE,
)
_OUR_TAG: Final = re.compile(r"<(?=\s*+(?:/\s*+)?conversation_)", re.IGNORECASE)


def quoted(text: str, *, limit: int | None = None) -> str:
    """A text that cannot pass for the frame it stands in.

    A line that starts as one of ours is marked as quoted, and our tags in it are no tags.
    """
    shown = text if limit is None or len(text) <= limit else text[: limit - 1].rstrip() + "…"
    return without_our_tags(_OUR_LABEL.sub("> ", shown))


def without_our_tags(text: str) -> str:
    """A text that cannot end the tags it stands between."""
    return _OUR_TAG.sub("\u2039", text) if "<" in text else text
