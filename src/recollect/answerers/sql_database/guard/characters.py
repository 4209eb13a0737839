"""Characters that a database may read in another way than the check did.

DuckDB takes U+200B, U+2060 and U+FEFF for blanks, sqlglot for a part of a name: what is one name
to the check is then `name FROM table` to the database.
"""

import unicodedata
from typing import Final

from sqlglot import Dialect, TokenType

from recollect.errors import StatementRefused

_QUOTED: Final = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.IDENTIFIER})
_BREAKS: Final = "\t\n\r"
_IN_NAMES: Final = ("L", "M", "Nd")
_NOWHERE: Final = frozenset({"Cc", "Cs"})


def check_characters(statement: str) -> None:
    """Refuse control characters and halves of surrogate pairs, within strings as well."""
    for character in set(statement) - set(_BREAKS):
        if unicodedata.category(character) in _NOWHERE:
            raise StatementRefused(_refusal(character))


def check_unquoted(statement: str, dialect: str) -> None:
    """Refuse all but ASCII, letters, marks and digits outside of strings and quoted names."""
    position = 0
    for token in Dialect.get_or_raise(dialect).tokenize(statement):
        if token.token_type in _QUOTED:
            _check_plain(statement[position : token.start])
            position = token.end + 1
    _check_plain(statement[position:])


def _check_plain(text: str) -> None:
    if text.isascii():
        return
    for character in text:
        if not character.isascii() and not unicodedata.category(character).startswith(_IN_NAMES):
            raise StatementRefused(_refusal(character))


def _refusal(character: str) -> str:
    return f"the statement has the character U+{ord(character):04X} where it is not allowed"
