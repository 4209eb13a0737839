"""Lists of tables as administrators write them, read strictly: a typing error grants nothing."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from recollect.domain.conversation.message import Visibility
from recollect.domain.identity.permissions import EVERY_TABLE, UNKNOWN, Access, normalised

LISTS: Final[Mapping[str, Visibility]] = {
    "tables": Visibility.ALL,
    "restricted": Visibility.SHAPE,
    "denied": Visibility.NOTHING,
}
"""What stands in each list, and how much of it may be seen."""

_OF_DATABASE: Final = re.compile(r"(.+)\.\*")


def access_from(grants: object) -> Access:
    """The access that `{"tables": […], "restricted": […], "denied": […]}` gives.

    Whatever is not exactly of this form is a `ValueError` that says what is wrong with it.
    """
    return Access(tables=merged([entries_from(grants)]))


def entries_from(grants: object, *, besides: Iterable[str] = ()) -> dict[str, Visibility]:
    """The tables of such lists; `besides` names what else may stand beside them."""
    if not isinstance(grants, Mapping):
        raise ValueError("must be an object with lists of tables")  # noqa: TRY004  # one kind
    unknown = sorted(str(name) for name in grants.keys() - {*LISTS, *besides})
    if unknown:
        known = ", ".join([*LISTS, *besides])
        raise ValueError(f"has {unknown[0]!r}, which is none of: {known}")
    return merged(
        {_name(table): visibility for table in names_in(grants, kind)}
        for kind, visibility in LISTS.items()
    )


def names_in(grants: Mapping[str, object], kind: str) -> list[str]:
    """A list of names, which may be missing."""
    names = grants.get(kind, [])
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{kind!r} must be a list of names")
    return list(names)


def merged(parts: Iterable[Mapping[str, Visibility]]) -> dict[str, Visibility]:
    """All entries together; of a table that several name, the least counts."""
    entries: dict[str, Visibility] = {}
    for part in parts:
        for name, visibility in part.items():
            entries[name] = min(visibility, entries.get(name, visibility))
    return entries


def _name(table: str) -> str:
    if table.strip() == EVERY_TABLE:
        return EVERY_TABLE
    whole = _OF_DATABASE.fullmatch(table.strip())
    name = normalised(whole[1] if whole else table)
    if name == UNKNOWN:
        raise ValueError(f"{table!r} is no table; write database.view, database.* or *")
    return f"{name}.*" if whole else name
