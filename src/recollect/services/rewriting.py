"""Making a question stand by itself, with the conversation it was asked in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self
from uuid import UUID

from recollect.domain.followup.dialogue import Rewrite, Said
from recollect.domain.followup.languages import installed
from recollect.domain.message import MAX_CONTENT_LENGTH, Message, Role
from recollect.domain.model_names import model_size
from recollect.domain.policies import Policies
from recollect.domain.scope import Scope
from recollect.domain.text import check_text
from recollect.errors import InvalidInput, SessionNotFound
from recollect.ports.messages import MessageStore
from recollect.services.access import Permissions
from recollect.services.followups import FollowUps
from recollect.services.last_access import LastAccess

_READ_MESSAGES: Final = 20
_MAX_HISTORY: Final = 1000
_MAX_MODEL_NAME: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """Understands follow-ups: of a stored session, or of a history that the caller brings."""

    messages: MessageStore
    last_access: LastAccess
    permissions: Permissions
    follow_ups: FollowUps
    policies: Policies

    def by_rules(self) -> Self:
        """The same without asking a model."""
        return replace(self, follow_ups=replace(self.follow_ups, model=None))

    async def prepare(self) -> None:
        """Load what the first rewrite would wait for, beside the event loop."""
        await self.follow_ups.rules.prepare()

    async def in_session(
        self,
        scope: Scope,
        session_id: UUID,
        question: str,
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """The question as it reads without the session it was asked in."""
        stored = await self.messages.window(
            scope, session_id, count=_READ_MESSAGES, covers_all=False
        )
        if stored is None:
            raise SessionNotFound(session_id)
        self.last_access.note(scope, session_id, last=stored.session.last_accessed_at)
        access = await self.permissions.allowed(scope)
        told = await self.permissions.told(access, stored.messages)
        return await self.after(said_in(told), question, model=model, language=language)

    async def after(
        self,
        history: Sequence[Said],
        question: str,
        *,
        model: str | None = None,
        language: str | None = None,
    ) -> Rewrite:
        """The question as it reads without a history, oldest message first."""
        check_question(question)
        if len(history) > _MAX_HISTORY:
            raise InvalidInput("history", f"has more than {_MAX_HISTORY} messages")
        if language is not None and language not in installed():
            known = ", ".join(sorted(installed()))
            raise InvalidInput("language", f"must be one of: {known}")
        if model is not None:
            check_text(model, "model", max_length=_MAX_MODEL_NAME)
        named = model or self.policies.model
        found = await self.follow_ups.rewrite(
            question,
            history,
            language=language,
            model_billions=model_size(named, overrides=self.policies.sizes),
        )
        if not found.is_follow_up:
            return found
        # What comes in from the history may have had line breaks; a question has none.
        return replace(found, standalone_question=" ".join(found.standalone_question.split()))


def check_question(question: str) -> None:
    """Refuse what is no question at all."""
    check_text(question, "question", max_length=MAX_CONTENT_LENGTH)
    if not question.strip():
        raise InvalidInput("question", "must not be blank")


def said_in(messages: Sequence[Message]) -> list[Said]:
    """Stored messages as a history: what users and assistants said, and not what was quoted."""
    return [
        Said(role=m.role, content=m.content, sql_query=m.details.sql_query)
        for m in messages
        if m.role is not Role.SYSTEM and not m.details.only_quotes
    ]
