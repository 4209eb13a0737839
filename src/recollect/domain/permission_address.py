"""Where permissions come from, as it is written in the settings."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self
from urllib.parse import parse_qs, urlsplit, urlunsplit

from recollect.errors import InvalidInput

_FORMS = (
    "must be none, file:PATH, an address such as https://host/path, "
    "or denodo:https://host/denodo-data-catalog?databases=a,b"
)


class PermissionKind(StrEnum):
    """The kinds of permission sources that can be set."""

    FILE = "file"
    HOOK = "hook"
    DENODO = "denodo"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionAddress:
    """One permission source."""

    kind: PermissionKind
    target: str
    """A path, or an address without what the options say."""
    databases: tuple[str, ...] = ()
    server_id: int = 1

    @property
    def needs_credentials(self) -> bool:
        """Whether the source goes by the caller's own credentials."""
        return self.kind is PermissionKind.DENODO

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read a setting; None for 'none'."""
        text = text.strip()
        kind, _, rest = text.partition(":")
        match kind.lower():
            case "none" if not rest:
                return None
            case "file" if rest:
                return cls(kind=PermissionKind.FILE, target=rest)
            case "http" | "https":
                return cls(kind=PermissionKind.HOOK, target=_checked(text))
            case "denodo" if rest:
                return cls._denodo(rest)
        raise InvalidInput("permissions", _FORMS)

    @classmethod
    def _denodo(cls, text: str) -> Self:
        parts = urlsplit(_checked(text))
        options = parse_qs(parts.query, keep_blank_values=True)
        if not options.keys() <= {"databases", "serverId"}:
            raise InvalidInput("permissions", "may have the options databases and serverId")
        named = ",".join(options.get("databases", [])).split(",")
        databases = tuple(name.strip() for name in named if name.strip())
        server_id = options.get("serverId", ["1"])[-1]
        if not databases or not server_id.isdecimal():
            raise InvalidInput(
                "permissions",
                "must name the catalog's databases, and its server by a number if at all: "
                "denodo:https://host/denodo-data-catalog?databases=a,b&serverId=1",
            )
        return cls(
            kind=PermissionKind.DENODO,
            target=urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")),
            databases=databases,
            server_id=int(server_id),
        )


def _checked(address: str) -> str:
    """An address that has what it needs, and no password in it."""
    try:
        parts = urlsplit(address)
        is_usable = parts.scheme in {"http", "https"} and parts.hostname and not parts.username
    except ValueError:
        is_usable = False
    if not is_usable:
        raise InvalidInput("permissions", _FORMS)
    return address
