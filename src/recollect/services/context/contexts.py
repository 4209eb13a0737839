"""Building contexts: what a model needs to understand a question."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypedDict, TypeVar, Unpack
from uuid import UUID

from recollect.concurrency import AT_ONCE, off_loop
from recollect.domain.context.context import Context, Tokens
from recollect.domain.context.window import (
    CUT_MARK,
    ConversationTurn,
    Tier,
    WindowPolicy,
    WindowUnit,
    choose_window,
    conversation_turns,
    messages_in,
    readable_tokens,
    tier_of,
)
from recollect.domain.conversation.message import OF_SQL, Visibility, characters_in
from recollect.domain.conversation.session import check_labels
from recollect.domain.facts.fact import Fact
from recollect.domain.followup.language import language_of
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.permissions import Access
from recollect.domain.identity.scope import Scope
from recollect.domain.model_names import context_window_of
from recollect.domain.pace import Pace
from recollect.domain.policy import Policies
from recollect.domain.privacy.masking import Unmasking
from recollect.domain.recall.entry import (
    AS_SET,
    EntriesSeen,
    RecallOverrides,
    RecallPolicy,
    RecallScope,
    Recollection,
)
from recollect.domain.recall.query import AlreadyInContext
from recollect.domain.summary.read_messages import ReadMessages
from recollect.errors import InvalidInput, QuestionTooLong
from recollect.ports.conversations import MAX_WINDOW, StoredWindow
from recollect.ports.metrics import DEGRADED
from recollect.ports.models import TokenCounter
from recollect.ports.telemetry import Stage
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited, audited
from recollect.services.context.assembly import Assembly, ContextParts
from recollect.services.context.context_metrics import record_context
from recollect.services.context.form_tokens import TOKENS_A_MESSAGE, FormTokenCache
from recollect.services.context.rewriting import (
    Rewriting,
    check_model_name,
    check_question,
    history_of,
)
from recollect.services.context.summarising import SLOWNESS
from recollect.services.conversations.messages import Messages
from recollect.services.facts.known import KnownFacts
from recollect.services.languages import languages_loaded
from recollect.services.profiles import ChosenProfile
from recollect.services.recall.recall import Recall
from recollect.services.redaction import unmasked

Result = TypeVar("Result")
HURRIED: Final = (
    "the server has more questions than its models can read: this one was read by rules, and "
    "compared by words alone"
)
"""The warning of contexts that were built without models."""
_MESSAGES_A_TURN: Final = 4  # a question, its reply, and room for more of them
_MAX_TOKENS: Final = 10_000_000
_RESUMMARISED: Final = 200  # messages read where their stored summary may not be shown

logger = logging.getLogger(__name__)


async def _admit_all(_: StoredWindow) -> None:
    """Refuse nobody."""


class ContextOptions(TypedDict, total=False):
    """What a caller may say about a context; the settings decide about the rest."""

    model: str | None
    max_tokens: int | None
    window: int | None
    databases: Iterable[str] | None
    recall: RecallOverrides


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """A valid request for a context. Made by `Contexts.request`, which checks everything once."""

    question: str
    model: str | None
    tier: Tier
    limit: int
    """The most tokens the context may have."""
    window: WindowPolicy
    recall: RecallPolicy
    is_session_only: bool
    """Whether nothing that was said in other sessions is in the context."""
    databases: tuple[str, ...] | None
    """The databases whose answers may be in the context; None for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts(Audited):
    """Builds contexts from stored messages; keeps no text in between but the `read_messages`."""

    messages: Messages
    permissions: Permissions
    rewriting: Rewriting
    recall: Recall
    profile: ChosenProfile
    facts: KnownFacts
    counter_for: Callable[[str | None], TokenCounter]
    policies: Policies
    read_messages: ReadMessages
    pace: Pace = field(default_factory=Pace)
    _form_tokens: FormTokenCache = field(default_factory=FormTokenCache)

    async def prepare(self) -> None:
        """Load what the first context would wait for: model families and a vocabulary."""
        context_window_of(self.policies.model or "?")
        await _count(self.counter_for(self.policies.model), "?")

    async def request(
        self,
        question: str,
        *,
        model: str | None = None,
        max_tokens: int | None = None,
        window: int | None = None,
        databases: Iterable[str] | None = None,
        recall: RecallOverrides = AS_SET,
    ) -> ContextRequest:
        """Check a request and complete it from the policies.

        Raises:
            QuestionTooLong: the question alone takes more tokens than a context may have.
            InvalidInput: something else cannot be taken.
        """
        check_question(question)
        check_model_name(model)
        if max_tokens is not None and not 1 <= max_tokens <= _MAX_TOKENS:
            raise InvalidInput("max_tokens", f"must lie between 1 and {_MAX_TOKENS:,}")
        model = model or self.policies.model
        tier = tier_of(model, overrides=self.policies.sizes)
        limit = max_tokens or self.policies.max_context_tokens
        if (context_window := context_window_of(model)) is not None:
            limit = min(limit, readable_tokens(context_window, tier.shares))
        policy = self.policies.recall.changed(recall)
        request = ContextRequest(
            question=question,
            model=model,
            tier=tier,
            limit=limit,
            window=self._window_policy(window),
            recall=policy,
            is_session_only=policy.scope is RecallScope.SESSION
            or not recall.elsewhere
            or recall.scope is RecallScope.OFF,
            databases=None if databases is None else check_labels(tuple(databases), "databases"),
        )
        tokens = await _count(self.counter_for(model), question, limit=limit)
        if tokens + TOKENS_A_MESSAGE > limit:
            raise QuestionTooLong(limit)
        return request

    async def build(
        self, scope: Scope, session_id: UUID, question: str, **options: Unpack[ContextOptions]
    ) -> Context:
        """Check a request and build its context."""
        request = await self.request(question, **options)
        return await self.build_requested(scope, session_id, request)

    @audited(AuditAction.CONTEXT_READ)
    async def build_requested(
        self,
        scope: Scope,
        session_id: UUID,
        request: ContextRequest,
        *,
        admit: Callable[[StoredWindow], Awaitable[None]] = _admit_all,
    ) -> Context:
        """The question with the end of the conversation, its summary and recalled entries.

        Answers that draw on tables that the owner may not see now, or on other databases than
        those requested, are left out. `admit` sees the window first, and may refuse to go on.
        """
        stored = await self._timed(Stage.WINDOW, self._window(scope, session_id, request))
        await admit(stored)
        reading = self._visible(scope, session_id, request, stored)
        access, stored, is_resummarised = await self._timed(Stage.PERMISSIONS, reading)
        redaction = self.messages.redaction
        unmasking = await redaction.unmasking(scope, request.question)
        stored = _unmasked_window(stored, unmasking)
        is_hurried = not self.pace.chooses_next()
        rewriting = self.rewriting.after(
            history_of(stored.messages), request.question, by_rules_alone=is_hurried
        )
        rewrite = await self._timed(Stage.REWRITE, rewriting)
        covers_all = self._covers_all or is_resummarised
        assembly = Assembly(
            self.counter_for(request.model),
            request.limit,
            covers_all=covers_all,
            shares=request.tier.shares,
            cache=self._form_tokens,
            read=self.read_messages.read,
        )
        draft = Context(
            question=request.question,
            standalone_question=rewrite.standalone_question,
            shows_meaning=self.policies.shows_meaning,
            is_follow_up=rewrite.is_follow_up,
            context_terms=rewrite.context_terms,
            language=rewrite.language,
        )
        draft = await off_loop(partial(assembly.fitting, draft), characters=draft.characters)
        window = choose_window(conversation_turns(stored.messages), request.window, request.tier)
        search_text = await redaction.text(scope, rewrite.search_text)
        within = session_id if request.is_session_only else None
        known = _already_in(session_id, window)
        recalling = self._recall(
            scope,
            search_text,
            request,
            known,
            access,
            by_words_alone=is_hurried,
            seen=stored.entries,
        )
        finding = self.facts.for_context(
            scope,
            search_text,
            access=access,
            within=within,
            by_words_alone=is_hurried,
            has_any=stored.has_facts,
        )
        recollection, profile, facts = await asyncio.gather(
            self._timed(Stage.RECALL, recalling),
            self._timed(Stage.PROFILE, self.profile.for_context(scope)),
            self._timed(Stage.FACTS, finding),
        )
        summary = stored.summary.text if stored.summary else ""
        unread = self.permissions.unread_sql(stored.messages)
        characters = len(request.question) + len(summary) + characters_in(stored.messages)
        told = (*facts.standing, *facts.items)
        characters += profile.characters + sum(len(fact.content) for fact in told)
        if covers_all:  # what does not fit is summarised: 19,000 characters took 90 ms
            characters *= SLOWNESS
        parts = ContextParts(
            recollection=_unmasked_results(recollection, unmasking),
            profile=profile.items,
            instructions=tuple(_unmasked_fact(fact, unmasking) for fact in facts.standing),
            facts=tuple(_unmasked_fact(fact, unmasking) for fact in facts.items),
        )
        build = partial(self._put_together, assembly, draft, stored, window, parts)
        building = off_loop(build, characters=characters + unread * OF_SQL)
        context = await self._timed(Stage.ASSEMBLE, building)
        self.facts.note_use(scope, (*context.standing_instructions, *context.facts))
        record_context(self.telemetry, context)
        _log(context)
        warnings = (*access.warnings, *context.warnings, *profile.warnings, *facts.warnings)
        if is_hurried:
            self.telemetry.count(DEGRADED, "models")
            warnings = (*warnings, HURRIED)
        return replace(context, warnings=tuple(dict.fromkeys(warnings)))

    async def bare(self, question: str, *, model: str | None = None) -> Context:
        """The question alone, for an answer without memory."""
        check_question(question)
        counter = self.counter_for(model or self.policies.model)
        tokens = await _count(counter, question)
        await languages_loaded()
        return Context(
            question=question,
            standalone_question=question,
            language=language_of(question, ()),
            tokens=Tokens(question=tokens + TOKENS_A_MESSAGE, limit=_MAX_TOKENS),
        )

    async def settle(self) -> None:
        """Wait until it is noted what contexts have used."""
        await self.facts.settle()

    async def _window(
        self, scope: Scope, session_id: UUID, request: ContextRequest
    ) -> StoredWindow:
        size = request.window.size_for(request.tier)
        is_messages = request.window.unit is WindowUnit.MESSAGES
        count = min(size if is_messages else size * _MESSAGES_A_TURN, MAX_WINDOW)
        return await self.messages.window(
            scope, session_id, count=count, covers_all=self._covers_all
        )

    async def _visible(
        self, scope: Scope, session_id: UUID, request: ContextRequest, stored: StoredWindow
    ) -> tuple[Access, StoredWindow, bool]:
        """What the user may see, also of a window; and whether its summary is to be made anew.

        A summary draws on all its tables at once. Where some of them may not be seen, it is left
        out and its messages are read instead.
        """
        access = await self.permissions.allowed(scope, databases=request.databases)
        summary = stored.summary
        is_withheld = summary is not None and (
            access.visibility_of(summary.tables) is not Visibility.ALL
        )
        if is_withheld:
            whole = await self.messages.window(
                scope, session_id, count=_RESUMMARISED, covers_all=True
            )
            stored = replace(whole, summary=None)
        visible = await self.permissions.for_model(access, stored.messages)
        # An answer that only quotes memory keeps its place alone: what it quoted may have been
        # deleted since, and that no model was set is no example to one.
        messages = (
            replace(message, content=CUT_MARK) if message.details.only_quotes else message
            for message in visible
        )
        return access, replace(stored, messages=tuple(messages)), is_withheld

    async def _timed(self, stage: Stage, work: Awaitable[Result]) -> Result:
        with self.telemetry.stage(stage):
            return await work

    async def _recall(
        self,
        scope: Scope,
        search_text: str,
        request: ContextRequest,
        known: AlreadyInContext,
        access: Access,
        *,
        by_words_alone: bool,
        seen: EntriesSeen | None,
    ) -> Recollection:
        if not request.recall.is_on:
            return Recollection()
        return await self.recall.for_context(
            scope,
            search_text,
            policy=request.recall,
            known=known,
            access=access,
            by_words_alone=by_words_alone,
            seen=seen,
        )

    def _put_together(
        self,
        assembly: Assembly,
        draft: Context,
        stored: StoredWindow,
        window: Sequence[ConversationTurn],
        parts: ContextParts,
    ) -> Context:
        """The context, with the tables that it draws on; a summary draws on all that was read."""
        context = assembly.put_together(draft, stored, window, parts)
        messages = stored.messages if context.summary else context.window
        tables = {table for message in messages for table in self.permissions.tables_of(message)}
        tables.update(table for one in context.recalled for table in one.tables)
        facts = (*context.standing_instructions, *context.facts)
        tables.update(table for fact in facts for table in fact.tables)
        if context.summary and stored.summary:
            tables.update(stored.summary.tables)
        return replace(context, tables=tuple(sorted(tables)))

    @property
    def _covers_all(self) -> bool:
        """Whether messages between the summary and the window are summarised, too."""
        return self.policies.compaction is not None

    def _window_policy(self, size: int | None) -> WindowPolicy:
        if size is None:
            return self.policies.window
        if self.policies.is_window_fixed:
            raise InvalidInput("window", "is fixed by the settings of this server")
        return WindowPolicy(unit=self.policies.window.unit, size=size)


async def _count(counter: TokenCounter, question: str, *, limit: int | None = None) -> int:
    """How many tokens a question is; the first count of all loads the vocabulary in a thread."""
    characters = len(question) if counter.is_ready else AT_ONCE + 1
    return await off_loop(partial(counter.count, question, limit=limit), characters=characters)


def _already_in(session_id: UUID, window: Sequence[ConversationTurn]) -> AlreadyInContext:
    """The window, of which no turn is recalled again."""
    return AlreadyInContext(
        session_id=session_id,
        messages=frozenset(message.message_id for message in messages_in(window)),
        turns=frozenset(turn.number for turn in window if turn.number is not None),
    )


def _unmasked_window(stored: StoredWindow, unmasking: Unmasking) -> StoredWindow:
    """The window with the values of the question, so that it and the question say the same."""
    if not unmasking.values:
        return stored
    summary = stored.summary and replace(stored.summary, text=unmasking.text(stored.summary.text))
    messages = tuple(unmasked(message, unmasking) for message in stored.messages)
    return replace(stored, summary=summary, messages=messages)


def _unmasked_results(recollection: Recollection, unmasking: Unmasking) -> Recollection:
    items = (one._replace(text=unmasking.text(one.text)) for one in recollection.items)
    return replace(recollection, items=tuple(items))


def _unmasked_fact(fact: Fact, unmasking: Unmasking) -> Fact:
    return replace(fact, content=unmasking.text(fact.content))


def _log(context: Context) -> None:
    facts = {
        "messages": len(context.window),
        "tokens": context.tokens.total,
        "limit": context.tokens.limit,
        "turns_cut": context.cut.turns,
        "characters_cut": context.cut.characters,
        "recalled": len(context.recalled),
        "recalled_cut": context.cut.recalled,
        "standing_instructions": len(context.standing_instructions),
        "profile": len(context.profile),
        "facts": len(context.facts),
    }
    event = "context.truncated" if context.is_truncated else "context.built"
    level = logging.INFO if context.is_truncated else logging.DEBUG
    logger.log(level, event, extra={"facts": facts})
