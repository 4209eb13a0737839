"""Builds what learns, finds and keeps facts about users."""

from functools import cached_property

from recollect.composition.shared import SharedParts
from recollect.services.facts.embedding import FactEmbedding
from recollect.services.facts.facts import Facts
from recollect.services.facts.known import FactAccesses, KnownFacts, StemCache
from recollect.services.facts.learning import Learning
from recollect.services.facts.maintenance import FactPruning, FactReembedding, TurnLearning
from recollect.services.facts.quotable import QuotableFacts
from recollect.services.facts.search import FactSearch
from recollect.services.facts.transfer import FactTransfer
from recollect.services.facts.withdrawing.edited_messages import EditedMessages
from recollect.services.facts.withdrawing.jokes import Jokes
from recollect.services.facts.withdrawing.on_command import Withdrawing


class FactServices:
    """Builds each service of facts."""

    def __init__(self, shared: SharedParts) -> None:
        self.shared = shared

    @cached_property
    def learning(self) -> Learning | None:
        """What learns from turns and obeys commands; None where no tenant could switch it on."""
        extractor = self.shared.needs.fact_extractor
        if extractor is None or not self.shared.policies.keeps_index:
            return None
        return Learning(
            store=self.shared.stores.facts,
            extractor=extractor,
            relations=self.shared.needs.fact_relations,
            embedder=self.shared.needs.embedder,
            history=self.shared.stores.history,
            profiles=self.shared.stores.profiles,
            tables_of=self.shared.permissions.tables_of,
            withdrawing=self._withdrawing(),
            editing=self._editing(),
            jokes=self._jokes(),
            clock=self.shared.clock,
            ids=self.shared.needs.ids,
            redaction=self.shared.redaction,
            tenants=self.shared.tenants,
            extractors=self.shared.needs.fact_extractors,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def _withdrawing(self) -> Withdrawing:
        return Withdrawing(
            store=self.shared.stores.facts,
            history=self.shared.stores.history,
            clock=self.shared.clock,
            ids=self.shared.needs.ids,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def _editing(self) -> EditedMessages:
        return EditedMessages(
            store=self.shared.stores.facts,
            history=self.shared.stores.history,
            clock=self.shared.clock,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def _jokes(self) -> Jokes:
        return Jokes(
            store=self.shared.stores.facts,
            withdrawing=self._withdrawing(),
            clock=self.shared.clock,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def turn_learning(self) -> TurnLearning | None:
        """The background work of learning from waiting turns."""
        queue, learning = self.shared.stores.learning, self.learning
        return TurnLearning(queue=queue, learning=learning) if queue and learning else None

    @cached_property
    def _embedding(self) -> FactEmbedding | None:
        embedder = self.shared.needs.embedder
        if embedder is None:
            return None
        return FactEmbedding(embedder=embedder, seconds=self.shared.needs.embedding_timeout)

    def facts(self) -> Facts:
        """What users and programs do with facts."""
        return Facts(
            store=self.shared.stores.facts,
            permissions=self.shared.permissions,
            clock=self.shared.clock,
            ids=self.shared.needs.ids,
            embedding=self._embedding,
            searching=FactSearch(store=self.shared.stores.facts, embedding=self._embedding),
            redaction=self.shared.redaction,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    @cached_property
    def transfer(self) -> FactTransfer:
        """Exports and imports of facts."""
        return FactTransfer(
            store=self.shared.stores.facts,
            permissions=self.shared.permissions,
            clock=self.shared.clock,
            ids=self.shared.needs.ids,
            embedding=self._embedding,
            redaction=self.shared.redaction,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def known(self) -> KnownFacts:
        """What contexts get of facts."""
        return KnownFacts(
            store=self.shared.stores.facts,
            telemetry=self.shared.needs.telemetry,
            accesses=FactAccesses(store=self.shared.stores.facts, clock=self.shared.clock),
            clock=self.shared.clock,
            stems=StemCache(stems=self.shared.needs.stems),
            tenants=self.shared.tenants,
            embedder=self.shared.needs.embedder,
            embedding_seconds=self.shared.needs.embedding_timeout,
        )

    def quotable(self) -> QuotableFacts:
        """What answers without a model get of facts."""
        return QuotableFacts(store=self.shared.stores.facts, permissions=self.shared.permissions)

    def pruning(self) -> FactPruning:
        """The end of facts that have faded."""
        return FactPruning(
            store=self.shared.stores.facts,
            clock=self.shared.clock,
            tenants=self.shared.tenants,
            audit=self.shared.audit,
            telemetry=self.shared.needs.telemetry,
        )

    def reembedding(self) -> FactReembedding | None:
        """The background work of embedding facts that lack a vector; None without a model."""
        store, embedder = self.shared.stores.facts, self.shared.needs.embedder
        return FactReembedding(store=store, embedder=embedder) if embedder else None
