"""What ends a query in VQL, Denodo's SQL, and in no other dialect."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import Token


def without_vql_ending(tokens: "list[Token]") -> "list[Token]":
    """The tokens without `CONTEXT (…)` and `TRACE` at the end: settings, no part of a query."""
    from sqlglot import TokenType  # noqa: PLC0415  # loads in 0.15 s: only where there is SQL

    kept = list(tokens)
    while len(kept) > 1:
        last = kept[-1]
        start = _opening(kept)
        if last.token_type is TokenType.VAR and last.text.upper() == "TRACE":
            kept.pop()
        elif start and kept[start - 1].text.upper() == "CONTEXT":
            del kept[start - 1 :]
        else:
            break
    return kept


def _opening(tokens: "list[Token]") -> int | None:
    """The place of the parenthesis that the last token closes."""
    from sqlglot import TokenType  # noqa: PLC0415

    depth = 0
    for place in reversed(range(len(tokens))):
        depth += {TokenType.R_PAREN: 1, TokenType.L_PAREN: -1}.get(tokens[place].token_type, 0)
        if depth == 0:
            return place if place < len(tokens) - 1 else None
    return None
