"""Whose memory a call works on, a user inside a tenant, and how much of it."""

import unicodedata
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import lru_cache
from typing import Final, TypeAlias
from uuid import UUID, uuid5

from recollect.domain.text import check_text, parse_choice
from recollect.errors import Forbidden, InvalidInput

DEFAULT_TENANT: Final = "default"
"""The tenant of callers whose settings and credentials name none."""
SYSTEM_TENANT: Final = "$system"
"""The tenant that stands for None: what belongs to the system itself and to no organisation.

A tenant is never missing inside. Only programs that say `tenant=None` reach it; no credentials,
settings or commands can name it.
"""


class Unset(Enum):
    """Tells 'no tenant given' from `tenant=None`, which means the system tenant."""

    UNSET = "unset"

    def __repr__(self) -> str:
        """Read well in signatures."""
        return self.name


UNSET: Final = Unset.UNSET
GivenTenant: TypeAlias = str | int | Unset | None
"""What a program may give as a tenant: a name, a number, None for the system, or nothing."""

MAX_NAME_LENGTH: Final = 255
ANONYMOUS: Final = "anon:"
"""The prefix of owners without credentials; no credential may name such a user."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control and format characters, surrogates, line and paragraph separators."""
_OWNERS: Final = UUID("6f1f1c1e-6a52-4b6c-9d0a-2f6d3c8f7b11")
_TENANTS: Final = UUID("0b7a3f52-93c4-4f0e-8a7d-51d2c6e94a20")


def check_identity(name: str, field_name: str) -> str:
    """Return the name of a user or a tenant as it is, or refuse it.

    A name must be trimmed, in NFC, and without invisible characters: two accepted names are two
    owners, and no third spelling stands for either.
    """
    check_text(name, field_name, max_length=MAX_NAME_LENGTH)
    trimmed = name.strip()
    if not trimmed:
        raise InvalidInput(field_name, "must not be blank")
    # None of those is printable; to ask takes a fiftieth of looking at each character.
    if not name.isprintable() and any(unicodedata.category(one) in _UNSEEN for one in name):
        raise InvalidInput(field_name, "must not contain control or format characters")
    if name != trimmed:
        raise InvalidInput(field_name, "must not begin or end with white space")
    if not unicodedata.is_normalized("NFC", name):
        raise InvalidInput(field_name, "must be in Unicode's normal form NFC")
    return name


def tenant_name(tenant: str | int) -> str:
    """Return the name of a tenant that a caller gave by name or number.

    Raises:
        InvalidInput: it is neither, or the name reserved for the system tenant.
    """
    if isinstance(tenant, int) and not isinstance(tenant, bool):
        return str(tenant)
    if not isinstance(tenant, str):
        raise InvalidInput("tenant", "must be a name or an integer")
    if tenant.strip() == SYSTEM_TENANT:
        raise InvalidInput(
            "tenant", f"must not be '{SYSTEM_TENANT}', which is reserved for the system tenant"
        )
    return tenant


class Interface(StrEnum):
    """How a call came in, for the audit log."""

    HTTP = "http"
    OPENAI = "openai"
    """The routes under /v1."""
    DASHBOARD = "dashboard"
    """The pages in the browser."""
    LIBRARY = "library"
    CLI = "cli"
    WORKER = "worker"
    """The background work, which nobody called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One owner, and who is acting for it.

    Two scopes are equal when they mean the same owner; `actor`, `interface` and `transaction_id`
    only say who did something, for the audit log.
    """

    tenant: str
    user: str
    actor: str = field(default="", compare=False)
    interface: Interface = field(default=Interface.LIBRARY, compare=False)
    transaction_id: str = field(default="", compare=False)
    authorization: str | None = field(default=None, compare=False, repr=False)
    """The caller's own credentials, for upstreams that check them; never stored, never logged."""
    is_stored: bool = field(default=False, compare=False, repr=False)
    """Whether the names were read from the database, for background work.

    They are not checked again: one that an earlier version accepted must not stop the work for
    everybody else.
    """
    owner_id: UUID = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.is_stored:
            check_identity(self.tenant, "tenant")
            check_identity(self.user, "user")
        object.__setattr__(self, "owner_id", _owner_id(self.tenant, self.user))

    def check_may_start(self, session_id: UUID) -> None:
        """Refuse to start a session that its owner, known by another one, could not open again.

        Raises:
            Forbidden: the caller has no credentials, and this is not the session that stands
                for them.
        """
        if self.anonymous_session not in {None, session_id}:
            raise Forbidden("without credentials there is no session but the one you name")

    @property
    def anonymous_session(self) -> UUID | None:
        """The one session of an owner without credentials; None for everybody else."""
        return anonymous_session(self.user)


def anonymous_user(session_id: UUID) -> str:
    """Return the user that stands for callers without credentials in one session."""
    return f"{ANONYMOUS}{session_id}"


def anonymous_session(user: str) -> UUID | None:
    """Return the session that such a user stands for; None for any other user."""
    if not user.startswith(ANONYMOUS):
        return None
    try:
        return UUID(user.removeprefix(ANONYMOUS))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantScope:
    """A tenant itself, as the owner of what belongs to no single user: keys, settings."""

    tenant: str
    actor: str = field(default="", compare=False)
    interface: Interface = field(default=Interface.LIBRARY, compare=False)
    transaction_id: str = field(default="", compare=False)
    is_stored: bool = field(default=False, compare=False, repr=False)
    """As that of a `Scope`."""
    owner_id: UUID = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.is_stored:
            check_identity(self.tenant, "tenant")
        object.__setattr__(self, "owner_id", uuid5(_TENANTS, self.tenant))


@lru_cache(maxsize=1024)
def _owner_id(tenant: str, user: str) -> UUID:
    """Derive the owner's id, so that no lookup is needed and every replica agrees.

    The length keeps ('a', 'b:c') and ('a:b', 'c') apart.
    """
    return uuid5(_OWNERS, f"{len(tenant)}:{tenant}:{user}")


class MemoryPolicy(StrEnum):
    """How much memory a request may use, from nothing to everything."""

    OFF = "off"
    """Nothing is read and nothing is stored."""
    READ = "read"
    """Stored messages are used; nothing is stored."""
    FULL = "full"


_ORDER: Final = tuple(MemoryPolicy)


def parse_memory_policy(text: str, field: str) -> MemoryPolicy:
    """Read a policy; the error lists those there are."""
    return parse_choice(MemoryPolicy, text.strip().lower(), field)


def stricter(*policies: MemoryPolicy) -> MemoryPolicy:
    """Return the policy that allows least."""
    return min(policies, key=_ORDER.index)
