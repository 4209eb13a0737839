"""All use cases, built on one engine."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Self

from recollect.domain.conversation.turns import patience
from recollect.domain.policy import Policies
from recollect.domain.recall.entries import EntryMaker
from recollect.domain.recall.words import PlainWords
from recollect.ports.accounts import AuditLog, PermissionSource
from recollect.ports.models import (
    Answerer,
    ChatModel,
    Completions,
    Embedder,
    SqlReader,
    TokenCounter,
    UnreadSql,
)
from recollect.ports.recall import VectorStore, WordStems
from recollect.ports.runtime import Clock, Counters, Ids, Uncounted
from recollect.ports.stores import Stores
from recollect.ports.work import JobKind
from recollect.services.access.accounts import ApiKeys, Retention, States
from recollect.services.access.permissions import Permissions
from recollect.services.chat.answering import Answering, OwnAnswers, Remembering
from recollect.services.chat.chat import Chat
from recollect.services.chat.proxy import Proxy
from recollect.services.context.contexts import Contexts
from recollect.services.context.rewriting import FollowUps, Rewriting
from recollect.services.context.summarising import Compaction, ExtractiveSummariser, LlmSummariser
from recollect.services.conversations.messages import History, Messages
from recollect.services.conversations.sessions import LastAccess, Sessions
from recollect.services.conversations.turns import Branches, Turns
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import OutsideIndex, Removals
from recollect.services.recall.recall import Recall, VisibleEntries
from recollect.services.recall.reconciling import Reconciling
from recollect.services.work import Handler, Work

_SETTLE_SECONDS: Final = 10.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDependencies:
    """What the use cases need beside an engine."""

    clock: Clock
    ids: Ids
    counter_for: Callable[[str | None], TokenCounter]
    sql: SqlReader = field(default_factory=UnreadSql)
    permissions: PermissionSource | None = None
    """Who says which tables may be seen; None: everybody may see all of their own memory."""
    answering_model: ChatModel | None = None
    summarising_model: ChatModel | None = None
    model_timeout: float = 60
    """The most seconds that one answer of a model may take."""
    answerer: Answerer | None = None
    answer_timeout: float = 120
    """The most seconds that one answer to a question may take."""
    counters: Counters = field(default_factory=Uncounted)
    endpoint: Completions | None = None
    """Where requests in OpenAI's form are passed on to."""
    stems: WordStems = field(default_factory=PlainWords)
    embedder: Embedder | None = None
    """None: what was said is found by its words alone."""
    embedding_timeout: float = 5
    """The most seconds that a question waits for its vector."""
    vectors: VectorStore | None = None
    """Where the engine's index keeps its vectors; None: it keeps them itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What interfaces call."""

    sessions: Sessions
    last_access: LastAccess
    messages: Messages
    history: History
    contexts: Contexts
    states: States
    turns: Turns
    chat: Chat
    branches: Branches
    proxy: Proxy
    rewriting: Rewriting
    recall: Recall
    indexing: Indexing | None
    """None where nothing is indexed."""
    reindexing: Reindexing | None
    """None where nothing is indexed, or no model embeds."""
    removals: Removals | None
    """None where no store outside has vectors."""
    reconciling: Reconciling | None
    """None where no store outside has vectors, or no model embeds."""
    permissions: Permissions
    retention: Retention
    work: Work
    api_keys: ApiKeys
    audit: AuditLog
    counters: Counters
    ids: Ids

    async def settle(self) -> None:
        """Wait until everything begun is written, before the engine is closed.

        Ten seconds at most: a database that hangs keeps nobody from ending. What is not written by
        then is given up.
        """
        parts = (self.branches.settle(), self.turns.settle(), self.last_access.settle())
        try:
            async with asyncio.timeout(_SETTLE_SECONDS):
                await asyncio.gather(*parts)
        except TimeoutError:
            logger.warning("memory.not_settled")

    @classmethod
    def on(
        cls, stores: Stores, around: ServiceDependencies, policies: Policies | None = None
    ) -> Self:
        """Build the use cases on an engine's stores."""
        chosen = policies or Policies()
        clock = around.clock
        outside = _outside_index(stores, around)
        stores = stores if outside is None else replace(stores, recall=outside)
        permissions = Permissions(sql=around.sql, history=stores.history, source=around.permissions)
        last_access = LastAccess(store=stores.sessions, clock=clock, retention=chosen.retention)
        sessions = Sessions(
            store=stores.sessions,
            last_access=last_access,
            permissions=permissions,
            clock=clock,
            retention=chosen.retention,
        )
        rewriting = Rewriting(
            messages=stores.messages,
            last_access=last_access,
            permissions=permissions,
            follow_ups=FollowUps(
                model=around.answering_model, model_from_billions=chosen.rewrites_from_billions
            ),
            policies=chosen,
        )
        recall = Recall(
            index=stores.recall,
            sessions=stores.sessions,
            last_access=last_access,
            permissions=permissions,
            seen_entries=VisibleEntries(permissions=permissions, history=stores.history),
            clock=clock,
            stems=around.stems,
            embedder=around.embedder,
            embedding_seconds=around.embedding_timeout,
            is_indexed=chosen.keeps_index,
        )
        messages = Messages(
            store=stores.messages,
            last_access=last_access,
            permissions=permissions,
            clock=clock,
            retention=chosen.retention,
            compaction=chosen.compaction,
            roles=chosen.roles,
            starts_unknown_sessions=chosen.starts_unknown_sessions,
        )
        contexts = Contexts(
            messages=stores.messages,
            last_access=last_access,
            permissions=permissions,
            rewriting=rewriting,
            recall=recall,
            counter_for=around.counter_for,
            policies=chosen,
        )
        states = States(store=stores.states, clock=clock)
        turns = Turns(messages=messages, store=stores.turns)
        answering = Answering(
            answerer=around.answerer, turns=turns, time_limit=around.answer_timeout
        )
        branches = Branches(
            store=stores.branches,
            last_access=last_access,
            turns=turns,
            clock=clock,
            retention=chosen.retention,
            compaction=chosen.compaction,
        )
        return cls(
            sessions=sessions,
            last_access=last_access,
            messages=messages,
            history=History(store=stores.history, permissions=permissions, clock=clock),
            contexts=contexts,
            states=states,
            turns=turns,
            chat=Chat(
                states=states,
                sessions=sessions,
                contexts=contexts,
                turns=turns,
                answering=answering,
                ids=around.ids,
                policies=chosen,
                counters=around.counters,
                probe=stores.is_answering,
            ),
            branches=branches,
            proxy=Proxy(
                endpoint=around.endpoint,
                own=OwnAnswers(answering=answering, contexts=contexts, clock=clock, ids=around.ids),
                states=states,
                sessions=sessions,
                branches=branches,
                remembering=Remembering(
                    # No time for a model: the one that answers reads the conversation itself.
                    contexts=replace(contexts, rewriting=rewriting.by_rules())
                ),
                ids=around.ids,
                policies=chosen,
                counters=around.counters,
                probe=stores.is_answering,
            ),
            rewriting=rewriting,
            recall=recall,
            indexing=_indexing(stores, around, chosen, permissions),
            reindexing=_reindexing(stores, around, chosen),
            removals=_removals(outside),
            reconciling=_reconciling(outside, around, chosen),
            permissions=permissions,
            retention=Retention(
                expired=stores.expired,
                turns=stores.turns,
                clock=clock,
                patience=patience(answer_timeout=around.answer_timeout),
            ),
            work=Work(
                jobs=stores.jobs,
                clock=clock,
                handlers=_handlers(stores, around, chosen, permissions),
            ),
            api_keys=ApiKeys(store=stores.api_keys, clock=clock, ids=around.ids),
            audit=stores.audit,
            counters=around.counters,
            ids=around.ids,
        )


def _outside_index(stores: Stores, around: ServiceDependencies) -> OutsideIndex | None:
    if stores.recall is None or stores.outside is None or around.vectors is None:
        return None
    return OutsideIndex(
        inner=stores.recall, entries=stores.outside, vectors=around.vectors, clock=around.clock
    )


def _removals(outside: OutsideIndex | None) -> Removals | None:
    if outside is None:
        return None
    return Removals(entries=outside.entries, vectors=outside.vectors)


def _reconciling(
    outside: OutsideIndex | None, around: ServiceDependencies, policies: Policies
) -> Reconciling | None:
    if outside is None or around.embedder is None or not policies.keeps_index:
        return None
    return Reconciling(index=outside, embedder=around.embedder)


def _indexing(
    stores: Stores, around: ServiceDependencies, policies: Policies, permissions: Permissions
) -> Indexing | None:
    if stores.recall is None or stores.indexing is None or not policies.keeps_index:
        return None
    return Indexing(
        store=stores.indexing,
        index=stores.recall,
        clock=around.clock,
        maker=EntryMaker(stems=around.stems.stems, tables_of=permissions.tables_of),
        embedder=around.embedder,
    )


def _reindexing(
    stores: Stores, around: ServiceDependencies, policies: Policies
) -> Reindexing | None:
    if stores.recall is None or around.embedder is None or not policies.keeps_index:
        return None
    return Reindexing(index=stores.recall, embedder=around.embedder)


def _handlers(
    stores: Stores, around: ServiceDependencies, policies: Policies, permissions: Permissions
) -> dict[JobKind, Handler]:
    tokens = around.counter_for(policies.model)
    offline = ExtractiveSummariser(tokens=tokens)
    by_model = around.summarising_model and LlmSummariser(
        model=around.summarising_model, tokens=tokens, timeout=around.model_timeout
    )
    compaction = Compaction(
        summaries=stores.summaries,
        clock=around.clock,
        tables_of=permissions.tables_of,
        policy=policies.compaction,
        summariser=by_model or offline,
        fallback=offline,
    )
    return {JobKind.COMPACT: compaction.do}
