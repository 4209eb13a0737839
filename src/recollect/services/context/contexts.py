"""Putting together what a model needs to understand a question."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from uuid import UUID

from recollect.domain.context.budget import Budget, budget_for, redistribute
from recollect.domain.context.context import Context
from recollect.domain.context.parts import Sources, Tokens, Truncation
from recollect.domain.context.shortening import CUT_MARK
from recollect.domain.context.window import (
    ConversationTurn,
    Tier,
    WindowPolicy,
    WindowUnit,
    choose_window,
    conversation_turns,
    messages_in,
    tier_of,
)
from recollect.domain.conversation.message import OF_SQL, Message, Visibility, characters_in
from recollect.domain.conversation.session import check_labels
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.followup.language import language_of
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import context_window_of
from recollect.domain.policy import Policies
from recollect.domain.recall.query import AlreadyInContext
from recollect.domain.recall.recalled import AS_SET, RecallOverrides, RecallPolicy, Recollection
from recollect.domain.text import check_text
from recollect.errors import InvalidInput, SessionNotFound
from recollect.offloading import AT_ONCE, off_loop
from recollect.ports.conversations import MAX_WINDOW, MessageStore, StoredWindow
from recollect.ports.models import TokenCounter
from recollect.services.access.permissions import Permissions
from recollect.services.context.assembly import TOKENS_A_MESSAGE, Assembly
from recollect.services.context.rewriting import Rewriting, check_question, history_of
from recollect.services.conversations.sessions import LastAccess
from recollect.services.recall.recall import Recall

_MESSAGES_A_TURN: Final = 4  # a question, its reply, and room for more of them
_MAX_TOKENS: Final = 10_000_000
_RETOLD: Final = 200  # messages told anew, on the way, where their summary may not be given
_MAX_MODEL_NAME: Final = 255

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts:
    """Makes contexts from what is stored; nothing is kept in between."""

    messages: MessageStore
    last_access: LastAccess
    permissions: Permissions
    rewriting: Rewriting
    recall: Recall
    counter_for: Callable[[str | None], TokenCounter]
    policies: Policies

    async def prepare(self) -> None:
        """Load what the first context would wait for: what is known of models, a vocabulary."""
        context_window_of(self.policies.model or "?")
        await _counted(self.counter_for(self.policies.model), "?")

    async def build(
        self,
        scope: Scope,
        session_id: UUID,
        question: str,
        *,
        model: str | None = None,
        max_tokens: int | None = None,
        window: int | None = None,
        databases: Iterable[str] | None = None,
        recall: RecallOverrides = AS_SET,
    ) -> Context:
        """The question with the end of the conversation, and what was said before that.

        What draws on tables that the owner may not see now, or on other databases than these,
        is not in it.
        """
        check_question(question)
        _check_limits(model, max_tokens)
        if databases is not None:
            databases = check_labels(tuple(databases), "databases")
        recalling = self.policies.recall.changed(recall)
        model = model or self.policies.model
        tier = tier_of(model, overrides=self.policies.sizes)
        policy = self._window_policy(window)
        access = await self.permissions.allowed(scope, databases=databases)
        stored = await self._read(scope, session_id, policy, tier)
        self.last_access.note(scope, session_id, last=stored.session.last_accessed_at)
        stored, is_retold = await self._permitted(scope, access, stored)
        limit = _limit(model, tier, max_tokens or self.policies.max_context_tokens)
        await self._check_size(question, model=model, limit=limit)
        assembly = Assembly(
            self.counter_for(model),
            limit,
            covers_all=self._covers_all or is_retold,
            shares=tier.shares,
        )
        rewrite = await self.rewriting.after(history_of(stored.messages), question, model=model)
        chosen = _chosen(stored, policy, tier)
        characters = self._characters(question, stored)
        standalone = rewrite.standalone_question
        tokens_of_standalone = partial(assembly.tokens_of, standalone)
        if await off_loop(tokens_of_standalone, characters=len(standalone)) > limit:
            standalone = question
        found = await self._recalled(
            scope,
            standalone,
            recalling,
            _known(session_id, chosen),
            access,
            meanwhile=partial(assembly.count_ahead, chosen) if characters <= AT_ONCE else _nothing,
        )
        context, tables = await off_loop(
            partial(self._put_together, assembly, standalone, stored, chosen, found),
            characters=characters,
        )
        _log(context)
        return replace(
            context,
            asked=question,
            is_follow_up=rewrite.is_follow_up,
            language=rewrite.language,
            tables=tables,
            warnings=(*access.warnings, *context.warnings),
        )

    async def check(
        self,
        question: str,
        *,
        model: str | None = None,
        window: int | None = None,
        databases: Iterable[str] = (),
        recall: RecallOverrides = AS_SET,
    ) -> None:
        """Refuse what `build` would refuse, before anything is stored for it."""
        check_question(question)
        _check_limits(model, None)
        check_labels(tuple(databases), "databases")
        self.policies.recall.changed(recall)
        self._window_policy(window)
        named = model or self.policies.model
        tier = tier_of(named, overrides=self.policies.sizes)
        limit = _limit(named, tier, self.policies.max_context_tokens)
        await self._check_size(question, model=named, limit=limit)

    async def bare(self, question: str, *, model: str | None = None) -> Context:
        """The question alone, for whoever is asked without memory."""
        check_question(question)
        counter = self.counter_for(model or self.policies.model)
        tokens = await _counted(counter, question)
        return Context(
            question=question,
            asked=question,
            language=language_of(question, ()),
            summary=None,
            window=(),
            tokens=Tokens(question=tokens + TOKENS_A_MESSAGE, limit=_MAX_TOKENS),
            cut=Truncation(),
            sources=Sources(),
        )

    async def _recalled(
        self,
        scope: Scope,
        question: str,
        policy: RecallPolicy,
        known: AlreadyInContext,
        access: Access,
        *,
        meanwhile: Callable[[], None],
    ) -> Recollection:
        """What was said before that the window does not tell; where recall is off, nothing."""
        if not policy.is_on:
            return Recollection()
        async with asyncio.TaskGroup() as together:
            looking = together.create_task(
                self.recall.for_context(scope, question, policy=policy, known=known, access=access)
            )
            await asyncio.sleep(0)  # the embedder gets the question, and only then is counted
            meanwhile()
        return looking.result()

    async def _check_size(self, question: str, *, model: str | None, limit: int) -> None:
        """Refuse a question that alone is over the limit."""
        tokens = await _counted(self.counter_for(model), question, limit=limit)
        if tokens + TOKENS_A_MESSAGE > limit:
            raise InvalidInput("question", f"takes more than the {limit} tokens of a context")

    def _characters(self, question: str, stored: StoredWindow) -> int:
        """How much there is to read for a context; of what is recalled there is little."""
        summary = stored.summary.text if stored.summary else ""
        unread = self.permissions.unread_sql(stored.messages)
        said = characters_in(stored.messages)
        return len(question) + len(summary) + said + unread * OF_SQL

    def _put_together(
        self,
        assembly: Assembly,
        question: str,
        stored: StoredWindow,
        window: Sequence[ConversationTurn],
        found: Recollection,
    ) -> tuple[Context, tuple[str, ...]]:
        """The context, and the tables that it draws on."""
        context = assembly.put_together(question, stored, window, found)
        return context, self._tables(context, stored)

    def _tables(self, context: Context, stored: StoredWindow) -> tuple[str, ...]:
        """What memory's part of a context draws on; a summary may tell of all that was read."""
        told = stored.messages if context.summary else context.window
        tables = {table for message in told for table in self.permissions.tables_of(message)}
        tables.update(table for one in context.recalled for table in one.tables)
        if context.summary and stored.summary:
            tables.update(stored.summary.tables)
        return tuple(sorted(tables))

    @property
    def _covers_all(self) -> bool:
        """Whether what lies between the summary and the window is told, too."""
        return self.policies.compaction is not None

    def _window_policy(self, size: int | None) -> WindowPolicy:
        if size is None:
            return self.policies.window
        if self.policies.is_window_fixed:
            raise InvalidInput("window", "is fixed by the settings of this server")
        return WindowPolicy(unit=self.policies.window.unit, size=size)

    async def _read(
        self, scope: Scope, session_id: UUID, policy: WindowPolicy, tier: Tier
    ) -> StoredWindow:
        size = policy.size_for(tier)
        count = size if policy.unit is WindowUnit.MESSAGES else size * _MESSAGES_A_TURN
        stored = await self.messages.window(
            scope,
            session_id,
            count=min(count, MAX_WINDOW),
            covers_all=self._covers_all,
        )
        if stored is None:
            raise SessionNotFound(session_id)
        return stored

    async def _permitted(
        self, scope: Scope, access: Access, stored: StoredWindow
    ) -> tuple[StoredWindow, bool]:
        """What may be seen of a window; and whether its summary may not, and is to be made anew.

        A summary tells of all its tables at once. What it says of those that may be seen is
        told again from the messages themselves.
        """
        summary = stored.summary
        is_retold = summary is not None and (
            access.visibility_of(summary.tables) is not Visibility.ALL
        )
        if is_retold:
            whole = await self.messages.window(
                scope, stored.session.session_id, count=_RETOLD, covers_all=True
            )
            stored = replace(whole or stored, summary=None)
        told = await self.permissions.for_model(access, stored.messages)
        return replace(stored, messages=tuple(map(_without_quotes, told))), is_retold


def _without_quotes(message: Message) -> Message:
    """A message as a context has it: what memory itself answered keeps its place alone.

    What it quoted may have been deleted since, and that no model was set is no example to one.
    """
    return replace(message, content=CUT_MARK) if message.details.only_quotes else message


def _check_limits(model: str | None, max_tokens: int | None) -> None:
    if max_tokens is not None and not 1 <= max_tokens <= _MAX_TOKENS:
        raise InvalidInput("max_tokens", f"must lie between 1 and {_MAX_TOKENS:,}")
    if model is not None:
        check_text(model, "model", max_length=_MAX_MODEL_NAME)


async def _counted(counter: TokenCounter, question: str, *, limit: int | None = None) -> int:
    """How many tokens a question is; the first of all loads the vocabulary in a thread."""
    characters = len(question) if counter.is_ready else AT_ONCE + 1
    return await off_loop(partial(counter.count, question, limit=limit), characters=characters)


def _nothing() -> None:
    """For what is counted later, in a thread."""


def _known(session_id: UUID, window: Sequence[ConversationTurn]) -> AlreadyInContext:
    """What the window tells: no part of a turn in it is told again."""
    return AlreadyInContext(
        session_id=session_id,
        messages=frozenset(message.message_id for message in messages_in(window)),
        turns=frozenset(turn.number for turn in window if turn.number is not None),
    )


def _chosen(stored: StoredWindow, policy: WindowPolicy, tier: Tier) -> tuple[ConversationTurn, ...]:
    answered = {m.turn_number for m in stored.messages if m.turn_number is not None}
    statuses = dict.fromkeys(answered, TurnStatus.COMPLETE)
    return choose_window(conversation_turns(stored.messages, statuses), policy, tier)


def _limit(model: str | None, tier: Tier, max_tokens: int) -> int:
    """The most tokens a context may have: what is asked for, or what the model can read."""
    context_window = context_window_of(model)
    if context_window is None:
        return max_tokens
    budget = budget_for(context_window, tier.shares)
    wanted = Budget(system=0, history=context_window, retrieved=0, answer=budget.answer)
    return min(max_tokens, redistribute(budget, wanted).history)


def _log(context: Context) -> None:
    facts = {
        "messages": len(context.window),
        "tokens": context.tokens.total,
        "limit": context.tokens.limit,
        "turns_cut": context.cut.turns,
        "characters_cut": context.cut.characters,
        "recalled": len(context.recalled),
        "recalled_cut": context.cut.recalled,
    }
    event = "context.truncated" if context.is_truncated else "context.built"
    level = logging.INFO if context.is_truncated else logging.DEBUG
    logger.log(level, event, extra={"facts": facts})
