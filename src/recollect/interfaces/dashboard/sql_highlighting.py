"""SQL with its words in colours."""

import re
from typing import Final

from markupsafe import Markup, escape

_KEYWORDS: Final = frozenset(
    """
    all and any as asc between by case cast cross current desc distinct else end except exists
    false fetch filter first following for from full group grouping having in inner intersect
    interval into is join last lateral left like limit natural not null nulls offset on or order
    outer over partition preceding range right row rows select set sets then true unbounded union
    using values when where window with
    """.split()  # noqa: SIM905  # a list of them takes eighty lines
)
_TOKENS: Final = re.compile(
    r"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<text>'(?:[^']|'')*')"
    r'|(?P<name>"[^"]*"|`[^`]*`)'
    r"|(?P<number>\b\d+(?:\.\d+)?\b)"
    r"|(?P<word>[^\W\d]\w*)",
    re.DOTALL,
)
_MOST: Final = 20_000
"""Characters that are coloured; what follows is shown plain."""


def highlighted(sql: str) -> Markup:
    """The SQL as HTML: each keyword, text, number and comment in an element of its class."""
    parts: list[Markup] = []
    end = 0
    for token in _TOKENS.finditer(sql, 0, _MOST):
        parts.append(escape(sql[end : token.start()]))
        parts.append(_coloured(token))
        end = token.end()
    return Markup("").join([*parts, escape(sql[end:])])


def _coloured(token: "re.Match[str]") -> Markup:
    kind, text = token.lastgroup, token.group()
    if kind == "word":
        if text.lower() not in _KEYWORDS:
            return escape(text)
        kind = "keyword"
    return Markup('<span class="sql-{}">{}</span>').format(kind, text)
