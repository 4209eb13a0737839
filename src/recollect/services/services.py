"""All use cases, and what they need beside an engine: plain records, filled by `composition`."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from recollect.domain.language import PlainWords
from recollect.domain.pace import Pace
from recollect.domain.policy import FactExtractorKind
from recollect.domain.recall.reranking import AUTO, RerankPolicy
from recollect.ports.accounts import EndedVisits, PermissionSource
from recollect.ports.facts import FactExtractor, RelationModel, UnknownRelations
from recollect.ports.models import (
    Answerer,
    ChatModel,
    Completions,
    Embedder,
    FollowUpModel,
    Reranker,
    SqlReader,
    TokenCounter,
    UnreadSql,
)
from recollect.ports.privacy.archive import ArchiveStore
from recollect.ports.privacy.names import NameFinder
from recollect.ports.recall import VectorStore, WordStems
from recollect.ports.runtime import Clock, Ids
from recollect.ports.statistics import StatisticsStore
from recollect.ports.telemetry import UNMEASURED, Telemetry
from recollect.services.access import ApiKeys, Permissions, States
from recollect.services.activity import Activity
from recollect.services.audit.log import AuditPruning, AuditReading
from recollect.services.audit.trail import AuditTrail
from recollect.services.background import Retention, Work
from recollect.services.chat.chat import Chat
from recollect.services.chat.proxy import Proxy
from recollect.services.chat.turn import Turns
from recollect.services.context.contexts import Contexts
from recollect.services.context.rewriting import Rewriting
from recollect.services.conversations.last_access import LastAccess
from recollect.services.conversations.messages import Messages, OwnerMessages
from recollect.services.conversations.sessions import Sessions
from recollect.services.facts.facts import Facts
from recollect.services.facts.maintenance import FactPruning, FactReembedding, TurnLearning
from recollect.services.facts.transfer import FactTransfer
from recollect.services.privacy.archive_access import ArchiveAccess
from recollect.services.privacy.encrypting import Encryption
from recollect.services.privacy.erasing import Erasing
from recollect.services.privacy.exporting import OwnerExport
from recollect.services.privacy.importing import OwnerImport
from recollect.services.privacy.places import CacheEviction
from recollect.services.profiles import Profiles
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import Removals, VectorStoreCheck
from recollect.services.recall.recall import Recall
from recollect.services.tenants.policies import TenantPolicies
from recollect.services.tenants.settings import SettingsOfTenants
from recollect.services.users import Users

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
    """Which tables may be seen; None: everybody may see all of their own memory."""
    pace: Pace = field(default_factory=Pace)
    """Of the models in this process; as it is, they read all questions."""
    follow_up_model: FollowUpModel | None = None
    """None: follow-ups are rewritten by rules alone."""
    answering_model: ChatModel | None = None
    summarising_model: ChatModel | None = None
    model_timeout: float = 60
    """The most seconds that one answer of a model may take."""
    answerer: Answerer | None = None
    answer_timeout: float = 120
    """The most seconds that one answer to a question may take."""
    telemetry: Telemetry = UNMEASURED
    endpoint: Completions | None = None
    """Where requests in OpenAI's form are passed on to."""
    stems: WordStems = field(default_factory=PlainWords)
    embedder: Embedder | None = None
    """None: recall compares words alone."""
    fact_extractor: FactExtractor | None = None
    """None: nothing is learnt about users."""
    fact_extractors: Mapping[FactExtractorKind, FactExtractor] = field(default_factory=dict)
    """Those that tenants may choose."""
    fact_extractor_kind: FactExtractorKind = FactExtractorKind.LOCAL
    """Which of them `fact_extractor` is."""
    fact_relations: RelationModel = field(default_factory=UnknownRelations)
    embedding_timeout: float = 5
    """The most seconds that a question waits for its vector."""
    reranker: Reranker | None = None
    """None: results keep the order of words and meaning."""
    reranking: RerankPolicy = AUTO
    vectors: VectorStore | None = None
    """Where the engine's index keeps its vectors; None: it keeps them itself."""
    names: NameFinder | None = None
    """None: names of people are not masked."""
    receipt_key: bytes | None = None
    """Signs the receipts of erasures; None: a key that the engine stores."""
    archive: ArchiveStore | None = None
    """Where expired sessions go; None: they are deleted for good."""
    archive_retention: timedelta | None = None
    """How long they are kept there; None: for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What interfaces call."""

    sessions: Sessions
    last_access: LastAccess
    messages: Messages
    history: OwnerMessages
    activity: Activity | None
    """None for an engine that does not count by day."""
    users: Users
    contexts: Contexts
    states: States
    profiles: Profiles
    facts: Facts
    fact_transfer: FactTransfer
    owner_export: OwnerExport
    owner_import: OwnerImport
    erasing: Erasing
    cache_eviction: CacheEviction
    archive: ArchiveAccess | None
    """None where expired sessions are not archived."""
    encryption: Encryption | None
    """None where content is not encrypted."""
    check_keys: Callable[[], Awaitable[None]] | None
    """See `Stores.check_keys`."""
    turns: Turns
    chat: Chat
    proxy: Proxy
    rewriting: Rewriting
    recall: Recall
    indexing: Indexing | None
    """None where nothing is indexed."""
    reindexing: Reindexing | None
    """None where nothing is indexed, or no model embeds."""
    removals: Removals | None
    """None where no store outside has vectors."""
    vector_store_check: VectorStoreCheck | None
    """None where no store outside has vectors, or no model embeds."""
    permissions: Permissions
    retention: Retention
    turn_learning: TurnLearning | None
    """None where nothing is learnt."""
    fact_pruning: FactPruning
    fact_reembedding: FactReembedding | None
    """None where no model embeds."""
    work: Work
    api_keys: ApiKeys
    ended_visits: EndedVisits
    tenant_settings: SettingsOfTenants
    tenant_policies: TenantPolicies
    audit: AuditReading
    audit_trail: AuditTrail | None
    """None where only deletions, keys and states are recorded."""
    audit_pruning: AuditPruning
    telemetry: Telemetry
    statistics: StatisticsStore | None
    """None where the engine does not tell how much it has."""
    ids: Ids

    async def settle(self) -> None:
        """Wait until everything begun is written, before the engine is closed.

        Ten seconds at most, so that a program can end while its database hangs. What is not
        written by then is given up.
        """
        try:
            async with asyncio.timeout(_SETTLE_SECONDS):
                await asyncio.gather(
                    self.turns.settle(), self.last_access.settle(), self.contexts.settle()
                )
                await self.tenant_policies.settle()
                if self.audit_trail is not None:
                    await self.audit_trail.settle()
        except TimeoutError:
            logger.warning("memory.not_settled")

    async def close(self) -> None:
        """Settle, and end the threads."""
        await self.settle()
        self.rewriting.close()
