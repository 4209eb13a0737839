"""How memory behaves for the kinds of programs it was designed for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.context.tiers import Tier
from recollect.domain.context.window import WindowPolicy, WindowUnit
from recollect.domain.conversation.message import Role
from recollect.domain.policy.retention import KEEP_ALL, RetentionMode, RetentionPolicy
from recollect.domain.recall.recalled import NO_RECALL, RecallPolicy

_MESSAGES_A_TURN: Final = 2


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
