"""Builds all services on the stores of an engine."""

from dataclasses import replace
from functools import cached_property

from recollect.composition.facts import FactServices
from recollect.composition.privacy import PrivacyServices
from recollect.composition.shared import SharedParts
from recollect.domain.conversation.session import patience
from recollect.domain.policy import Policies
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.ports import Stores
from recollect.ports.jobs import JobKind
from recollect.ports.models import QuotingAnswerer
from recollect.services.access import ApiKeys, States
from recollect.services.activity import Activity
from recollect.services.audit.log import AuditPruning, AuditReading
from recollect.services.background import Retention, Work
from recollect.services.chat.chat import Chat
from recollect.services.chat.proxy import Proxy
from recollect.services.chat.turn import Answering, TurnMemory, Turns
from recollect.services.context.contexts import Contexts
from recollect.services.context.rewriting import Rewriting
from recollect.services.context.summarising import Compaction, ExtractiveSummariser, LlmSummariser
from recollect.services.conversations.messages import Messages, OwnerMessages
from recollect.services.conversations.sessions import Sessions
from recollect.services.profiles import ChosenProfile, Profiles
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import Removals, VectorStoreCheck
from recollect.services.recall.recall import Recall, VisibleEntries
from recollect.services.recall.reranking import Reranking
from recollect.services.services import ServiceDependencies, Services
from recollect.services.tenants.settings import SettingsOfTenants
from recollect.services.users import Users


def build_services(
    stores: Stores, dependencies: ServiceDependencies, policies: Policies | None = None
) -> Services:
    """Build the use cases on an engine's stores."""
    return _Builder(SharedParts(stores, dependencies, policies or Policies())).services()


class _Builder:
    """Builds each service once, from those that it needs."""

    def __init__(self, shared: SharedParts) -> None:
        self.stores, self.outside = shared.stores, shared.outside
        self.needs, self.policies, self.clock = shared.needs, shared.policies, shared.clock
        self.redaction, self.permissions = shared.redaction, shared.permissions
        self.audit, self.last_access = shared.audit, shared.last_access
        self.read_messages = shared.read_messages
        self.tenants = shared.tenants
        self.facts = FactServices(shared)
        self.privacy = PrivacyServices(shared)

    def services(self) -> Services:
        stores, outside = self.stores, self.outside
        return Services(
            sessions=self.turn_memory.sessions,
            last_access=self.last_access,
            messages=self.messages,
            history=OwnerMessages(
                store=stores.history,
                permissions=self.permissions,
                clock=self.clock,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            activity=None
            if stores.activity is None
            else Activity(store=stores.activity, clock=self.clock, audit=self.audit),
            users=Users(
                owners=stores.owners,
                activity=stores.activity,
                facts=stores.facts,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            contexts=self.contexts,
            states=self.turn_memory.states,
            profiles=Profiles(
                store=stores.profiles,
                clock=self.clock,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            facts=self.facts.facts(),
            fact_transfer=self.facts.transfer,
            owner_export=self.privacy.owner_export(self.facts.transfer),
            owner_import=self.privacy.owner_import,
            archive=self.privacy.archive_access(),
            erasing=self.privacy.erasing(),
            encryption=self.privacy.encryption(),
            check_keys=self.stores.check_keys,
            cache_eviction=self.privacy.cache_eviction(),
            turns=self.turn_memory.turns,
            chat=Chat(
                memory=self.turn_memory,
                contexts=self.contexts,
                answering=self.answering,
                policies=self.policies,
            ),
            proxy=self._proxy(),
            rewriting=self.rewriting,
            recall=self.recall,
            indexing=self._indexing(),
            reindexing=self._reindexing(),
            removals=Removals(entries=outside.entries, vectors=outside.vectors)
            if outside
            else None,
            vector_store_check=self._vector_store_check(),
            permissions=self.permissions,
            retention=Retention(
                expired=stores.expired,
                turns=stores.turns,
                clock=self.clock,
                patience=patience(answer_timeout=self.needs.answer_timeout),
                archive=self.privacy.archive,
            ),
            turn_learning=self.facts.turn_learning(),
            fact_pruning=self.facts.pruning(),
            fact_reembedding=self.facts.reembedding(),
            work=Work(
                jobs=stores.jobs,
                clock=self.clock,
                handlers={JobKind.COMPACT: self._compaction().do},
                telemetry=self.needs.telemetry,
            ),
            ended_visits=stores.ended_visits,
            api_keys=ApiKeys(
                store=stores.api_keys,
                clock=self.clock,
                ids=self.needs.ids,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            tenant_settings=SettingsOfTenants(
                store=stores.tenant_settings,
                policies=self.tenants,
                clock=self.clock,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            tenant_policies=self.tenants,
            audit=AuditReading(
                log=stores.audit,
                chains=stores.audit_chains,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            audit_trail=self.audit,
            audit_pruning=AuditPruning(
                chains=stores.audit_chains,
                clock=self.clock,
                retention=self.policies.audit.retention,
            ),
            telemetry=self.needs.telemetry,
            statistics=stores.statistics,
            ids=self.needs.ids,
        )

    @cached_property
    def messages(self) -> Messages:
        learning = self.facts.learning
        hooks = {"on_stored": learning.obey_at_once} if learning else {}
        return Messages(
            store=self.stores.messages,
            last_access=self.last_access,
            permissions=self.permissions,
            clock=self.clock,
            policies=self.policies,
            tenants=self.tenants,
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
            make_room=self.privacy.make_room,
            **hooks,
        )

    @cached_property
    def recall(self) -> Recall:
        return Recall(
            index=self.stores.recall,
            sessions=self.stores.sessions,
            last_access=self.last_access,
            permissions=self.permissions,
            seen_entries=VisibleEntries(permissions=self.permissions, history=self.stores.history),
            clock=self.clock,
            stems=self.needs.stems,
            embedder=self.needs.embedder,
            embedding_seconds=self.needs.embedding_timeout,
            reranking=self._reranking(),
            is_indexed=self.policies.keeps_index,
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    def _reranking(self) -> Reranking | None:
        reranker = self.needs.reranker
        return Reranking(reranker=reranker, policy=self.needs.reranking) if reranker else None

    @cached_property
    def rewriting(self) -> Rewriting:
        return Rewriting(
            messages=self.messages,
            permissions=self.permissions,
            policies=self.policies,
            model=self.needs.follow_up_model,
            llm=self.needs.answering_model,
            pace=self.needs.pace,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    @cached_property
    def contexts(self) -> Contexts:
        return Contexts(
            messages=self.messages,
            permissions=self.permissions,
            rewriting=self.rewriting,
            recall=self.recall,
            profile=ChosenProfile(store=self.stores.profiles, keys=self.policies.profile_keys),
            facts=self.facts.known(),
            counter_for=self.needs.counter_for,
            policies=self.policies,
            read_messages=self.read_messages,
            pace=self.needs.pace,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    @cached_property
    def turn_memory(self) -> TurnMemory:
        return TurnMemory(
            states=States(
                store=self.stores.states,
                clock=self.clock,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            sessions=Sessions(
                store=self.stores.sessions,
                last_access=self.last_access,
                permissions=self.permissions,
                clock=self.clock,
                tenants=self.tenants,
                redaction=self.redaction,
                audit=self.audit,
                telemetry=self.needs.telemetry,
                make_room=self.privacy.make_room,
            ),
            turns=Turns(
                messages=self.messages,
                store=self.stores.turns,
                branches=self.stores.branches,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            ids=self.needs.ids,
            telemetry=self.needs.telemetry,
            probe=self.stores.is_answering,
        )

    @cached_property
    def answering(self) -> Answering:
        answerer = self.needs.answerer
        return Answering(
            answerer=answerer,
            time_limit=self.needs.answer_timeout,
            quotable=self.facts.quotable() if isinstance(answerer, QuotingAnswerer) else None,
        )

    def _proxy(self) -> Proxy:
        # No time for an LLM that rewrites: the one that answers reads the conversation itself.
        contexts = replace(self.contexts, rewriting=self.rewriting.without_llm())
        return Proxy(
            memory=self.turn_memory,
            contexts=contexts,
            answering=self.answering,
            endpoint=self.needs.endpoint,
            clock=self.clock,
            policies=self.policies,
        )

    def _indexing(self) -> Indexing | None:
        stores = self.stores
        if stores.recall is None or stores.indexing is None or not self.policies.keeps_index:
            return None
        learning = self.facts.learning
        return Indexing(
            store=stores.indexing,
            index=stores.recall,
            clock=self.clock,
            maker=EntryMaker(stems=self.needs.stems.stems, tables_of=self.permissions.tables_of),
            embedder=self.needs.embedder,
            is_learnt_from=learning.is_on if learning else None,
        )

    def _reindexing(self) -> Reindexing | None:
        index, embedder = self.stores.recall, self.needs.embedder
        if index is None or embedder is None or not self.policies.keeps_index:
            return None
        return Reindexing(index=index, embedder=embedder)

    def _vector_store_check(self) -> VectorStoreCheck | None:
        outside, embedder = self.outside, self.needs.embedder
        if outside is None or embedder is None or not self.policies.keeps_index:
            return None
        return VectorStoreCheck(index=outside, embedder=embedder)

    def _compaction(self) -> Compaction:
        tokens = self.needs.counter_for(self.policies.model)
        model = self.needs.summarising_model
        extractive = ExtractiveSummariser(tokens=tokens)
        by_model = model and LlmSummariser(
            model=model, tokens=tokens, timeout=self.needs.model_timeout
        )
        return Compaction(
            summaries=self.stores.summaries,
            clock=self.clock,
            tables_of=self.permissions.tables_of,
            policy=self.policies.compaction,
            summariser=by_model or extractive,
            fallback=extractive,
            redaction=self.redaction,
        )
