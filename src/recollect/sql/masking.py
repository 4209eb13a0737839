"""A query without its values."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


def without_values(query: "exp.Query") -> str | None:
    """The query as text, each value in it as `?`; None if it cannot be written."""
    from sqlglot import exp  # noqa: PLC0415  # loads in 0.15 s: only where there is SQL
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    masked = query.copy()
    for node in list(masked.find_all(exp.Expression)):
        if _is_value(node):
            node.replace(exp.Placeholder())
    try:
        text = masked.sql(comments=False)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError):
        # A writer may want to look into a value that is a placeholder now.
        return None
    return None if "'" in text else text  # a value that the tree does not show as one


def _is_value(node: "exp.Expr") -> bool:
    from sqlglot import exp  # noqa: PLC0415

    literals = (
        *(exp.Literal, exp.Boolean, exp.National, exp.RawString, exp.UnicodeString),
        *(exp.HexString, exp.BitString, exp.ByteString, exp.Heredoc),
    )
    return isinstance(node, literals) or _is_quoted_value(node)


def _is_quoted_value(node: "exp.Expr") -> bool:
    """Whether it may be a text in double quotes, as some databases take them: `name = "Ann"`."""
    from sqlglot import exp  # noqa: PLC0415

    if not isinstance(node, exp.Column) or node.table or not node.this.args.get("quoted"):
        return False
    is_second = node.arg_key in {"expression", "expressions", "low", "high"}
    return is_second and isinstance(node.parent, exp.Binary | exp.In | exp.Between | exp.Tuple)
