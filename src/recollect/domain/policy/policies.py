"""How memory behaves, decided once for all services."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.context.window import WindowPolicy
from recollect.domain.conversation.message import Role
from recollect.domain.model_names import ChatTemplate
from recollect.domain.policy.presets import DEFAULT, ContextForm, MissingSession
from recollect.domain.policy.retention import RetentionPolicies
from recollect.domain.recall.recalled import RecallPolicy

DEFAULT_MAX_CONTEXT_TOKENS: Final = 4000


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
