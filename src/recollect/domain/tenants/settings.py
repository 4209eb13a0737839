"""What a tenant has set for itself; everything else is as the server has it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final, Self, TypeVar

from recollect.domain.facts.decay import DecayPolicy, parse_half_lives
from recollect.domain.policy import FactExtractorKind, RetentionPolicy
from recollect.domain.privacy.masking import MaskingMode
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.text import JsonValue, parse_choice
from recollect.errors import InvalidInput, Unavailable, VersionConflict

_ON: Final = frozenset({"on", "true", "yes", "1"})
_OFF: Final = frozenset({"off", "false", "no", "0"})
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSettings:
    """Settings of one tenant, spelled as the MEMORY_* settings of the same names; None: not set."""

    retention: str | None = None
    """How long sessions are kept: none, fixed:DAYS or sliding:DAYS."""
    mask_pii: MaskingMode | None = None
    """What is stored in the place of personal data."""
    store_results: str | None = None
    """What is stored of the results of queries: none, summary or rows:N."""
    archive: bool | None = None
    """Whether expired sessions go into the server's archive before they are deleted."""
    facts: bool | None = None
    """Whether contexts have facts about users, and facts are learnt."""
    learn_facts: bool | None = None
    """Whether facts are learnt; False leaves those that are known in contexts."""
    facts_extractor: FactExtractorKind | None = None
    """Who finds facts in messages: local or llm."""
    facts_half_lives: str | None = None
    """Days after which an unused fact counts half, by priority: high:365,medium:180,low:60."""
    facts_prune_below: float | None = None
    """Facts that count less are pruned; 0: none."""

    @classmethod
    def parse(cls, values: Mapping[str, JsonValue]) -> Self:
        """Read settings from JSON, or texts as the environment has them; null is not set.

        Raises:
            InvalidInput: a name is unknown, or a value is none that the server's setting of that
                name takes.
        """
        for name in values:
            if name not in _PARSERS:
                raise InvalidInput(name, f"must be one of: {', '.join(_PARSERS)}")
        given = {name: value for name, value in values.items() if value is not None}
        parsed = {name: _PARSERS[name](value, name) for name, value in given.items()}
        return cls(**parsed)  # type: ignore[arg-type]  # each parser returns its field's type

    @classmethod
    def stored(cls, values: Mapping[str, JsonValue]) -> Self:
        """Read settings that were checked before; another version may have stored them.

        Names that are not known here are left out, and so are values, but for settings that limit
        what is stored of users: to go on without one might store what the tenant has forbidden.

        Raises:
            Unavailable: such a setting has a value that is not known here.
        """
        settings = cls()
        for name in _PARSERS.keys() & values.keys():
            try:
                settings = replace(
                    settings, **{name: getattr(cls.parse({name: values[name]}), name)}
                )
            except InvalidInput:
                if name in _LIMITS:
                    raise Unavailable(
                        f"the tenant has set {name} to a value that this version does not know: "
                        "upgrade this server, or set it again"
                    ) from None
        return settings

    def to_json(self) -> dict[str, JsonValue]:
        """All settings by name; None for those that are not set."""
        return {name: getattr(self, name) for name in SETTING_NAMES}

    def given(self) -> dict[str, JsonValue]:
        """The settings that are set."""
        return {name: value for name, value in self.to_json().items() if value is not None}

    def changed(self, values: Mapping[str, JsonValue]) -> Self:
        """These settings with others in the place of those named; None unsets one."""
        return self.parse({**self.to_json(), **values})

    def names_changed(self, before: "TenantSettings") -> tuple[str, ...]:
        """The settings that are not as they were."""
        return tuple(name for name in SETTING_NAMES if getattr(self, name) != getattr(before, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSettings:
    """The settings of a tenant as they are stored."""

    tenant: str
    settings: TenantSettings = TenantSettings()
    version: int = 0
    """Grows with every change; 0 before the first."""
    updated_at: datetime | None = None

    def check_version(self, expected: int | None) -> None:
        """Refuse a change that expects another version; None expects any.

        Raises:
            VersionConflict: the settings have changed meanwhile.
        """
        if expected not in {None, self.version}:
            raise VersionConflict(expected=expected or 0, current=self.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantReport:
    """The settings of a tenant, and what counts for it together with those of the server."""

    tenant: str
    settings: TenantSettings
    """What the tenant has set."""
    effective: TenantSettings
    """Every setting as it counts for the tenant's users."""
    version: int
    """Grows with every change; 0 before the first."""
    updated_at: datetime | None


def _text(rule: Callable[[str], object]) -> Callable[[JsonValue, str], str]:
    """Takes a text that a rule of the domain accepts."""

    def parse(value: JsonValue, name: str) -> str:
        if not isinstance(value, str):
            raise InvalidInput(name, "must be a text")
        text = value.strip().lower()
        try:
            rule(text)
        except InvalidInput as error:
            raise InvalidInput(name, error.problem) from None
        return text

    return parse


def _choice(kind: type[MaskingMode] | type[FactExtractorKind]) -> Callable[[JsonValue, str], str]:
    def parse(value: JsonValue, name: str) -> str:
        return parse_choice(kind, str(value).strip().lower(), name)

    return parse


def _switch(value: JsonValue, name: str) -> bool:
    text = str(value).strip().lower()
    if text not in _ON | _OFF:
        raise InvalidInput(name, "must be on or off")
    return text in _ON


def _share(value: JsonValue, name: str) -> float:
    try:
        number = float(value) if isinstance(value, str | int | float) else -1.0
        return DecayPolicy(threshold=number).threshold
    except (ValueError, InvalidInput):
        raise InvalidInput(name, "must be at least 0 and less than 1") from None


def _half_lives(text: str) -> DecayPolicy:
    return DecayPolicy(half_lives=parse_half_lives(text))


_PARSERS: Final[Mapping[str, Callable[[JsonValue, str], str | bool | float]]] = {
    "retention": _text(RetentionPolicy.parse),
    "mask_pii": _choice(MaskingMode),
    "store_results": _text(ResultPolicy.parse),
    "archive": _switch,
    "facts": _switch,
    "learn_facts": _switch,
    "facts_extractor": _choice(FactExtractorKind),
    "facts_half_lives": _text(_half_lives),
    "facts_prune_below": _share,
}
_LIMITS: Final = frozenset(
    {"retention", "mask_pii", "store_results", "archive", "facts", "learn_facts"}
)
"""Settings that limit what is stored of users, and for how long."""
SETTING_NAMES: Final = tuple(part.name for part in fields(TenantSettings))
