"""Builds all services on the stores of an engine."""

from dataclasses import replace
from functools import cached_property

from recollect.domain.conversation.session import patience
from recollect.domain.facts.ranking import NO_FACTS
from recollect.domain.policy import Policies
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.ports import Stores
from recollect.ports.erasure import Erasable, OwnerCache
from recollect.ports.jobs import JobKind
from recollect.services.access import ApiKeys, Permissions, States
from recollect.services.audit.log import AuditPruning, AuditReading
from recollect.services.audit.trail import AuditTrail
from recollect.services.background import Retention, Work
from recollect.services.chat.chat import Chat
from recollect.services.chat.proxy import Proxy
from recollect.services.chat.turn import Answering, TurnMemory, Turns
from recollect.services.context.contexts import Contexts
from recollect.services.context.rewriting import Rewriting
from recollect.services.context.summarising import Compaction, ExtractiveSummariser, LlmSummariser
from recollect.services.conversations.sessions import (
    LastAccess,
    MakeRoom,
    Messages,
    OwnerMessages,
    Sessions,
    leave_room,
)
from recollect.services.facts.embedding import FactEmbedding
from recollect.services.facts.facts import Facts
from recollect.services.facts.known import FactAccesses, KnownFacts, StemCache
from recollect.services.facts.learning import Learning
from recollect.services.facts.maintenance import FactPruning, FactReembedding, TurnLearning
from recollect.services.facts.search import FactSearch
from recollect.services.facts.transfer import FactTransfer
from recollect.services.privacy.archive_access import ArchiveAccess
from recollect.services.privacy.archive_erasure import ArchivePlace
from recollect.services.privacy.archiving import SessionArchive
from recollect.services.privacy.erasing import Erasing
from recollect.services.privacy.exporting import OwnerExport
from recollect.services.privacy.importing import OwnerImport
from recollect.services.privacy.owner_pages import OwnerPages
from recollect.services.privacy.places import CacheEviction, OutsideVectors, ProcessCaches
from recollect.services.profiles import ChosenProfile, Profiles
from recollect.services.recall.indexing import Indexing, Reindexing
from recollect.services.recall.outside_index import OutsideIndex, Removals, VectorStoreCheck
from recollect.services.recall.recall import Recall, VisibleEntries
from recollect.services.recall.reranking import Reranking
from recollect.services.redaction import Redaction
from recollect.services.services import ServiceDependencies, Services


def build_services(
    stores: Stores, dependencies: ServiceDependencies, policies: Policies | None = None
) -> Services:
    """Build the use cases on an engine's stores."""
    return _Builder(stores, dependencies, policies or Policies()).services()


class _Builder:
    """Builds each service once, from those that it needs."""

    def __init__(
        self, stores: Stores, dependencies: ServiceDependencies, policies: Policies
    ) -> None:
        self.outside: OutsideIndex | None = None
        if stores.recall and stores.outside and dependencies.vectors:
            self.outside = OutsideIndex(
                inner=stores.recall,
                entries=stores.outside,
                vectors=dependencies.vectors,
                clock=dependencies.clock,
            )
        self.stores = stores if self.outside is None else replace(stores, recall=self.outside)
        self.needs = dependencies
        self.policies = policies
        self.redaction = Redaction(policies=policies)
        self.clock = dependencies.clock
        self.permissions = Permissions(
            sql=dependencies.sql, history=stores.history, source=dependencies.permissions
        )
        self.audit: AuditTrail | None = None
        if policies.audit.is_on:
            self.audit = AuditTrail(
                log=stores.audit,
                clock=self.clock,
                policy=policies.audit,
                telemetry=dependencies.telemetry,
            )
        self.last_access = LastAccess(
            store=stores.sessions, clock=self.clock, retention=policies.retention
        )

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
            contexts=self.contexts,
            states=self.turn_memory.states,
            profiles=Profiles(
                store=stores.profiles,
                clock=self.clock,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            facts=self._facts(),
            fact_transfer=self.fact_transfer,
            owner_export=self._owner_export(),
            owner_import=self.owner_import,
            archive=self._archive_access(),
            erasing=self._erasing(),
            cache_eviction=CacheEviction(
                erasures=stores.erasure.erasures, caches=self.caches, clock=self.clock
            ),
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
                archive=self.archive,
            ),
            turn_learning=self._turn_learning(),
            fact_pruning=FactPruning(
                store=stores.facts,
                clock=self.clock,
                policy=self.policies.fact_decay,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
            fact_reembedding=FactReembedding(store=stores.facts, embedder=self.needs.embedder)
            if self.needs.embedder
            else None,
            work=Work(
                jobs=stores.jobs,
                clock=self.clock,
                handlers={JobKind.COMPACT: self._compaction().do},
                telemetry=self.needs.telemetry,
            ),
            api_keys=ApiKeys(
                store=stores.api_keys,
                clock=self.clock,
                ids=self.needs.ids,
                audit=self.audit,
                telemetry=self.needs.telemetry,
            ),
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
    def archive(self) -> SessionArchive | None:
        if self.needs.archive is None:
            return None
        return SessionArchive(
            store=self.needs.archive,
            expired=self.stores.expired_records,
            clock=self.clock,
            keeps_for=self.needs.archive_retention,
        )

    @property
    def make_room(self) -> MakeRoom:
        return leave_room if self.archive is None else self.archive.make_room

    @cached_property
    def owner_import(self) -> OwnerImport:
        return OwnerImport(
            store=self.stores.imports,
            retention=self.policies.retention,
            clock=self.clock,
            make_room=self.make_room,
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    def _archive_access(self) -> ArchiveAccess | None:
        store = self.needs.archive
        if store is None:
            return None
        return ArchiveAccess(store=store, owner_import=self.owner_import, clock=self.clock)

    @property
    def _learns(self) -> bool:
        return self.policies.facts.is_enabled and self.policies.keeps_index

    @cached_property
    def learning(self) -> Learning | None:
        extractor = self.needs.fact_extractor
        if extractor is None or not self._learns:
            return None
        return Learning(
            store=self.stores.facts,
            extractor=extractor,
            relations=self.needs.fact_relations,
            embedder=self.needs.embedder,
            history=self.stores.history,
            profiles=self.stores.profiles,
            tables_of=self.permissions.tables_of,
            clock=self.clock,
            ids=self.needs.ids,
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    def _turn_learning(self) -> TurnLearning | None:
        queue, learning = self.stores.learning, self.learning
        return TurnLearning(queue=queue, learning=learning) if queue and learning else None

    @cached_property
    def messages(self) -> Messages:
        hooks = {"on_stored": self.learning.obey_at_once} if self.learning else {}
        return Messages(
            store=self.stores.messages,
            last_access=self.last_access,
            permissions=self.permissions,
            clock=self.clock,
            policies=self.policies,
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
            make_room=self.make_room,
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

    @cached_property
    def fact_embedding(self) -> FactEmbedding | None:
        embedder = self.needs.embedder
        if embedder is None:
            return None
        return FactEmbedding(embedder=embedder, seconds=self.needs.embedding_timeout)

    def _facts(self) -> Facts:
        return Facts(
            store=self.stores.facts,
            permissions=self.permissions,
            clock=self.clock,
            ids=self.needs.ids,
            embedding=self.fact_embedding,
            searching=FactSearch(store=self.stores.facts, embedding=self.fact_embedding),
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    @cached_property
    def fact_transfer(self) -> FactTransfer:
        return FactTransfer(
            store=self.stores.facts,
            permissions=self.permissions,
            clock=self.clock,
            ids=self.needs.ids,
            embedding=self.fact_embedding,
            redaction=self.redaction,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    def _owner_export(self) -> OwnerExport:
        pages = OwnerPages(
            store=self.stores.exports,
            profiles=self.stores.profiles,
            states=self.stores.states,
            api_keys=self.stores.api_keys,
            facts=self.fact_transfer,
            permissions=self.permissions,
        )
        return OwnerExport(
            pages=pages, clock=self.clock, audit=self.audit, telemetry=self.needs.telemetry
        )

    @cached_property
    def caches(self) -> tuple[OwnerCache, ...]:
        index = self.stores.recall if self.outside is None else self.outside.inner
        held: tuple[object, ...] = (index, self.needs.embedder, self.needs.sql)
        return tuple(one for one in held if isinstance(one, OwnerCache))

    def _erasing(self) -> Erasing:
        stores = self.stores.erasure
        places: list[Erasable] = [stores.database]
        if self.outside is not None and stores.removals is not None:
            places.append(
                OutsideVectors(
                    erasures=stores.erasures,
                    removals=stores.removals,
                    vectors=self.outside.vectors,
                )
            )
        if self.needs.archive is not None:
            archive = self.needs.archive
            count = stores.erasures.count
            places.append(ArchivePlace(store=archive, clock=self.clock, count=count))
        places.append(ProcessCaches(caches=self.caches))
        return Erasing(
            stores=stores,
            places=places,
            clock=self.clock,
            ids=self.needs.ids,
            receipt_key=self.needs.receipt_key,
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
            facts=self._known_facts(),
            counter_for=self.needs.counter_for,
            policies=self.policies,
            audit=self.audit,
            telemetry=self.needs.telemetry,
        )

    def _known_facts(self) -> KnownFacts:
        return KnownFacts(
            decay=self.policies.fact_decay,
            store=self.stores.facts,
            accesses=FactAccesses(store=self.stores.facts, clock=self.clock),
            clock=self.clock,
            stems=StemCache(stems=self.needs.stems),
            policy=self.policies.facts if self.policies.keeps_index else NO_FACTS,
            embedder=self.needs.embedder,
            embedding_seconds=self.needs.embedding_timeout,
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
                retention=self.policies.retention,
                redaction=self.redaction,
                audit=self.audit,
                telemetry=self.needs.telemetry,
                make_room=self.make_room,
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
        return Answering(answerer=self.needs.answerer, time_limit=self.needs.answer_timeout)

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
        return Indexing(
            store=stores.indexing,
            index=stores.recall,
            clock=self.clock,
            maker=EntryMaker(stems=self.needs.stems.stems, tables_of=self.permissions.tables_of),
            embedder=self.needs.embedder,
            is_learnt_from=self.learning is not None,
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
