"""How memory behaves: how long sessions are kept, how much memory is used, and presets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Self

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.context.window import Tier, WindowPolicy, WindowUnit
from recollect.domain.conversation.message import Role
from recollect.domain.facts.decay import DecayPolicy
from recollect.domain.facts.ranking import NO_FACTS, FactPolicy
from recollect.domain.identity.audit import AuditPolicy
from recollect.domain.model_names import ChatTemplate
from recollect.domain.privacy.masking import MaskingPolicies
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.recall.entry import NO_RECALL, RecallPolicy
from recollect.errors import InvalidInput

MAX_RETENTION_DAYS: Final = 36_500
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_INSTANT: Final = timedelta(microseconds=1)
_MESSAGES_A_TURN: Final = 2
DEFAULT_MAX_CONTEXT_TOKENS: Final = 4000
DEFAULT_REWRITE_CONFIDENCE: Final = 0.64


class RetentionMode(StrEnum):
    """From when the days are counted."""

    FIXED = "fixed"
    """From the session's creation."""
    SLIDING = "sliding"
    """From the last time it was used."""
    NONE = "none"
    """Not at all: sessions stay until they are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """When a session expires."""

    mode: RetentionMode
    days: float = 0

    def __post_init__(self) -> None:
        if self.mode is not RetentionMode.NONE and not 0 < self.days <= MAX_RETENTION_DAYS:
            raise InvalidInput(
                "retention", f"must be more than 0 and at most {MAX_RETENTION_DAYS} days"
            )
        if self.mode is RetentionMode.NONE and self.days:
            raise InvalidInput("retention", "of mode none has no days")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read 'none', 'fixed:7' or 'sliding:90'."""
        mode, _, days = text.strip().lower().partition(":")
        try:
            return cls(mode=RetentionMode(mode), days=float(days) if days else 0)
        except ValueError:
            raise InvalidInput("retention", "must be none, fixed:DAYS or sliding:DAYS") from None

    def __str__(self) -> str:
        return (
            str(self.mode) if self.mode is RetentionMode.NONE else f"{self.mode}:{self.days:.12g}"
        )

    def end_of_new(self, created_at: datetime) -> datetime | None:
        """When a session created now expires; None for never."""
        if self.mode is RetentionMode.NONE:
            return None
        return created_at + timedelta(days=self.days)

    def end_of_used(self, used_at: datetime) -> datetime | None:
        """When a session used now expires at the earliest; None where use does not matter.

        Rounded up to a full hour, so that a busy session's end is not moved with every message.
        """
        if self.mode is not RetentionMode.SLIDING:
            return None
        end = used_at + timedelta(days=self.days)
        return (end + _HOUR - _INSTANT).replace(minute=0, second=0, microsecond=0)

    def end_of_stored(self, *, created_at: datetime, used_at: datetime) -> datetime | None:
        """When a session ends that was created and last used elsewhere; None for never."""
        if self.mode is RetentionMode.SLIDING:
            return self.end_of_used(used_at)
        return self.end_of_new(created_at)

    def end_of_restored(self, restored_at: datetime) -> datetime | None:
        """When a session ends that comes back from the archive now; None for never."""
        return self.end_of_used(restored_at) or self.end_of_new(restored_at)

    @property
    def touch_interval(self) -> timedelta:
        """How often use is recorded: every minute, or ten times within a shorter retention."""
        if self.mode is not RetentionMode.SLIDING:
            return _MINUTE
        return min(_MINUTE, timedelta(days=self.days) / 10)


KEEP_ALL: Final = RetentionPolicy(mode=RetentionMode.NONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicies:
    """How long each tenant's sessions are kept."""

    usual: RetentionPolicy = KEEP_ALL
    by_tenant: Mapping[str, RetentionPolicy] = field(default_factory=dict)

    def of(self, tenant: str) -> RetentionPolicy:
        """The tenant's own policy, or the usual one."""
        return self.by_tenant.get(tenant, self.usual)


class MissingSession(StrEnum):
    """What happens to a request that names no session."""

    CREATE = "create"
    REJECT = "reject"
    USER_WIDE = "user-wide"
    """Everything goes to one session of the user."""


class FactExtractorKind(StrEnum):
    """Who finds facts in messages."""

    LOCAL = "local"
    LLM = "llm"


class ContextForm(StrEnum):
    """How a context reaches the model."""

    INSTRUCTIONS = "instructions"
    SYSTEM_PROMPT = "system-prompt"
    TEMPLATE = "template"
    OBJECT = "object"
    MESSAGES = "messages"


_TALK: Final = frozenset({Role.USER, Role.ASSISTANT})
_TEN_MESSAGES: Final = WindowPolicy(unit=WindowUnit.MESSAGES, size=10)
_BY_MODEL: Final = WindowPolicy(unit=WindowUnit.TURNS, size=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named set of defaults."""

    name: str
    missing_session: MissingSession = MissingSession.CREATE
    roles: frozenset[Role] = frozenset(Role)
    window: WindowPolicy = _TEN_MESSAGES
    is_window_fixed: bool = False
    """Whether a request may not change the window."""
    compaction: CompactionPolicy | None = None
    compacts_by_tier: bool = False
    """Whether the model's tier says how many turns stay uncompacted."""
    retention: RetentionPolicy = KEEP_ALL
    recall: RecallPolicy = NO_RECALL
    """What a context looks for among earlier exchanges."""
    facts: FactPolicy = NO_FACTS
    """Which facts about the user a context has."""
    context: ContextForm = ContextForm.MESSAGES

    def compaction_for(self, tier: Tier) -> CompactionPolicy | None:
        """When older messages are summarised for a model of that tier; None for never."""
        if not self.compacts_by_tier:
            return self.compaction
        keep = tier.kept_turns * _MESSAGES_A_TURN
        return CompactionPolicy(trigger=tier.compacts_after * _MESSAGES_A_TURN, keep=keep)


DEFAULT: Final = Preset(
    name="default",
    window=_BY_MODEL,
    compacts_by_tier=True,
    recall=RecallPolicy(),
    facts=FactPolicy(),
)
DATA_QUESTIONS: Final = Preset(
    name="data-questions",
    roles=_TALK,
    compaction=CompactionPolicy(trigger=15, keep=10),
    retention=RetentionPolicy(mode=RetentionMode.FIXED, days=7),
    recall=RecallPolicy(),
    facts=FactPolicy(),
    context=ContextForm.INSTRUCTIONS,
)
CHAT: Final = Preset(
    name="chat",
    missing_session=MissingSession.REJECT,
    is_window_fixed=True,
    context=ContextForm.SYSTEM_PROMPT,
)
APP: Final = Preset(
    name="app", missing_session=MissingSession.USER_WIDE, roles=_TALK, context=ContextForm.TEMPLATE
)
AGENT: Final = Preset(
    name="agent",
    compaction=CompactionPolicy(trigger=50, keep=10),
    retention=RetentionPolicy(mode=RetentionMode.SLIDING, days=90),
    context=ContextForm.OBJECT,
)
ASSISTANT: Final = Preset(
    name="assistant", roles=_TALK, window=_BY_MODEL, compacts_by_tier=True, facts=FactPolicy()
)
PRESETS: Final = {
    preset.name: preset for preset in (DEFAULT, DATA_QUESTIONS, CHAT, APP, AGENT, ASSISTANT)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The preset's defaults, and what the settings change of them."""

    is_enabled: bool = True
    """Whether questions are answered with memory at all."""
    window: WindowPolicy = DEFAULT.window
    is_window_fixed: bool = DEFAULT.is_window_fixed
    compaction: CompactionPolicy | None = None
    roles: frozenset[Role] = DEFAULT.roles
    retention: RetentionPolicies = field(default_factory=RetentionPolicies)
    max_context_tokens: int = DEFAULT_MAX_CONTEXT_TOKENS
    recall: RecallPolicy = DEFAULT.recall
    """What contexts look for among earlier exchanges."""
    profile_keys: tuple[str, ...] = ()
    """The keys of the user's profile that contexts have; `*` for all of them."""
    fact_decay: DecayPolicy = field(default_factory=DecayPolicy)
    """How facts about users fade."""
    facts: FactPolicy = DEFAULT.facts
    """Which facts and standing instructions of the user contexts have, if exchanges are indexed."""
    keeps_index: bool = True
    """Whether exchanges are indexed, so that recall can find them."""
    model: str | None = None
    """The model that answers unless a request names another."""
    chat_template: ChatTemplate = ChatTemplate.AUTO
    """What the model's chat template demands of messages."""
    rewrites_from_billions: float = 14
    """The smallest language model that is asked to rewrite follow-ups."""
    rewrite_confidence: float = DEFAULT_REWRITE_CONFIDENCE
    """The least confidence of a rewrite; a question without such a one stays as asked."""
    shows_meaning: bool = True
    """Whether contexts show models the standalone question beside the user's own words."""
    missing_session: MissingSession = DEFAULT.missing_session
    """What happens to a question that names no session."""
    rejects_unknown_sessions: bool = False
    """Whether a session must have been started before a question names it."""
    context: ContextForm = DEFAULT.context
    """How a context reaches the model."""
    control_share: float = 0
    """The part of all sessions that an experiment answers without memory."""
    audit: AuditPolicy = field(default_factory=AuditPolicy)
    """What the audit log records, and for how long."""
    sizes: Mapping[str, float] = field(default_factory=dict)
    """Sizes of models in billions, by pattern of their names."""
    results: ResultPolicy = field(default_factory=ResultPolicy)
    """What is stored of the results of queries."""
    masking: MaskingPolicies = field(default_factory=MaskingPolicies)
    """What is stored in the place of personal data."""

    @property
    def starts_unknown_sessions(self) -> bool:
        """Whether messages for a session that is not there start it."""
        creates = self.missing_session is not MissingSession.REJECT
        return creates and not self.rejects_unknown_sessions
