"""How memory behaves: how long sessions are kept, how much memory is used, and presets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Self

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.context.window import Tier, WindowPolicy, WindowUnit
from recollect.domain.conversation.message import Role
from recollect.domain.model_names import ChatTemplate
from recollect.domain.recall.recalled import NO_RECALL, RecallPolicy
from recollect.errors import InvalidInput

_MAX_DAYS: Final = 36_500
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_INSTANT: Final = timedelta(microseconds=1)
_MESSAGES_A_TURN: Final = 2
DEFAULT_MAX_CONTEXT_TOKENS: Final = 4000


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
    """When a session comes to its end."""

    mode: RetentionMode
    days: float = 0

    def __post_init__(self) -> None:
        if self.mode is not RetentionMode.NONE and not 0 < self.days <= _MAX_DAYS:
            raise InvalidInput("retention", f"must be more than 0 and at most {_MAX_DAYS} days")
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

    @property
    def touch_interval(self) -> timedelta:
        """How often use is noted: every minute, or ten times within a shorter retention."""
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
    """What becomes of a request that names no session."""

    CREATE = "create"
    REJECT = "reject"
    USER_WIDE = "user-wide"
    """One session for each user, which everything goes to."""


class ContextForm(StrEnum):
    """How a context reaches the model."""

    INSTRUCTIONS = "instructions"
    SYSTEM_PROMPT = "system-prompt"
    TEMPLATE = "template"
    OBJECT = "object"
    MESSAGES = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One way to remember."""

    name: str
    missing_session: MissingSession
    roles: frozenset[Role]
    window: WindowPolicy
    is_window_fixed: bool
    """Whether a request may not ask for another window."""
    compaction: CompactionPolicy | None
    compacts_by_tier: bool
    """Whether the model's tier says how many turns stay uncompacted."""
    retention: RetentionPolicy
    recall: RecallPolicy
    """What a context looks for among earlier exchanges."""
    context: ContextForm

    def compaction_for(self, tier: Tier) -> CompactionPolicy | None:
        """When older messages are summarised for a model of that tier; None for never."""
        if not self.compacts_by_tier:
            return self.compaction
        keep = tier.kept_turns * _MESSAGES_A_TURN
        return CompactionPolicy(trigger=tier.compacts_after * _MESSAGES_A_TURN, keep=keep)


_TALK: Final = frozenset({Role.USER, Role.ASSISTANT})


_TALK_AND_SYSTEM: Final = frozenset(Role)


_TEN_MESSAGES: Final = WindowPolicy(unit=WindowUnit.MESSAGES, size=10)


_BY_MODEL: Final = WindowPolicy(unit=WindowUnit.TURNS, size=None)


DEFAULT: Final = Preset(
    name="default",
    missing_session=MissingSession.CREATE,
    roles=_TALK_AND_SYSTEM,
    window=_BY_MODEL,
    is_window_fixed=False,
    compaction=None,
    compacts_by_tier=True,
    retention=KEEP_ALL,
    recall=RecallPolicy(),
    context=ContextForm.MESSAGES,
)


DATA_QUESTIONS: Final = Preset(
    name="data-questions",
    missing_session=MissingSession.CREATE,
    roles=_TALK,
    window=_TEN_MESSAGES,
    is_window_fixed=False,
    compaction=CompactionPolicy(trigger=15, keep=10),
    compacts_by_tier=False,
    retention=RetentionPolicy(mode=RetentionMode.FIXED, days=7),
    recall=RecallPolicy(),
    context=ContextForm.INSTRUCTIONS,
)


CHAT: Final = Preset(
    name="chat",
    missing_session=MissingSession.REJECT,
    roles=_TALK_AND_SYSTEM,
    window=_TEN_MESSAGES,
    is_window_fixed=True,
    compaction=None,
    compacts_by_tier=False,
    retention=KEEP_ALL,
    recall=NO_RECALL,
    context=ContextForm.SYSTEM_PROMPT,
)


APP: Final = Preset(
    name="app",
    missing_session=MissingSession.USER_WIDE,
    roles=_TALK,
    window=_TEN_MESSAGES,
    is_window_fixed=False,
    compaction=None,
    compacts_by_tier=False,
    retention=KEEP_ALL,
    recall=NO_RECALL,
    context=ContextForm.TEMPLATE,
)


AGENT: Final = Preset(
    name="agent",
    missing_session=MissingSession.CREATE,
    roles=_TALK_AND_SYSTEM,
    window=_TEN_MESSAGES,
    is_window_fixed=False,
    compaction=CompactionPolicy(trigger=50, keep=10),
    compacts_by_tier=False,
    retention=RetentionPolicy(mode=RetentionMode.SLIDING, days=90),
    recall=NO_RECALL,
    context=ContextForm.OBJECT,
)


ASSISTANT: Final = Preset(
    name="assistant",
    missing_session=MissingSession.CREATE,
    roles=_TALK,
    window=_BY_MODEL,
    is_window_fixed=False,
    compaction=None,
    compacts_by_tier=True,
    retention=KEEP_ALL,
    recall=NO_RECALL,  # facts alone
    context=ContextForm.MESSAGES,
)


PRESETS: Final = {
    preset.name: preset for preset in (DEFAULT, DATA_QUESTIONS, CHAT, APP, AGENT, ASSISTANT)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The preset's wishes, and what the settings change of them."""

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
    keeps_index: bool = True
    """Whether exchanges are indexed, so that they can be looked for at all."""
    model: str | None = None
    """The model that answers unless a request names another."""
    chat_template: ChatTemplate = ChatTemplate.AUTO
    """What the model's chat template demands of messages."""
    rewrites_from_billions: float = 14
    """The smallest model that is asked to rewrite follow-ups; rules do it for smaller ones."""
    missing_session: MissingSession = DEFAULT.missing_session
    """What becomes of a question that names no session."""
    rejects_unknown_sessions: bool = False
    """Whether a session must have been started before a question names it."""
    context: ContextForm = DEFAULT.context
    """How a context reaches the model."""
    sizes: Mapping[str, float] = field(default_factory=dict)
    """Sizes of models in billions, by pattern of their names."""

    @property
    def starts_unknown_sessions(self) -> bool:
        """Whether messages for a session that is not there start it."""
        creates = self.missing_session is not MissingSession.REJECT
        return creates and not self.rejects_unknown_sessions
