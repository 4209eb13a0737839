"""Words beside a quotation that was cut out of a sentence, and mean little without it.

Of "My uncle says «I live in Monaco» to show off" are left "My uncle says" and "to show off".
"""

from collections.abc import Sequence
from typing import Final

from recollect.domain.facts.reading.wording import names_user
from recollect.domain.speech.spoken import Part

_OPENING: Final = frozenset("\"\u201c\u201e\u00ab\u2018'`")
_CLOSING: Final = frozenset("\"\u201d\u201c\u00bb\u2019'`")
_SENTENCE_ENDS: Final = frozenset(".!?\n")
_SPACES: Final = 2
"""The most blanks between words and a quotation: French has one within the marks."""


def is_left_of_quotation(quote: str, start: int, message: str, parts: Sequence[Part]) -> bool:
    """Whether a quote, which begins at a place, is what a cut quotation leaves of a sentence.

    What follows one and names the user is a statement: "…", but I live in Leeds.
    """
    part = next((one for one in parts if one.start <= start < one.end), None)
    if part is None:
        return False
    after = message[part.end : part.end + _SPACES].strip()[:1]
    if start + len(quote) == part.end and after in _OPENING and quote[-1:] not in _SENTENCE_ENDS:
        return after != ""
    before = message[max(0, part.start - _SPACES) : part.start].strip()[-1:]
    is_behind = before != "" and before in _CLOSING and not names_user(quote)
    return is_behind and _SENTENCE_ENDS.isdisjoint(message[part.start : start])
