"""All use cases, built on one engine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from recollect.domain.job import JobKind
from recollect.domain.policies import Policies
from recollect.ports.audit import AuditLog
from recollect.ports.clock import Clock, Ids
from recollect.ports.models import ChatModel
from recollect.ports.stores import Stores
from recollect.ports.tokens import TokenCounter
from recollect.services.api_keys import ApiKeys
from recollect.services.compaction import Compaction
from recollect.services.contexts import Contexts
from recollect.services.followups import FollowUps
from recollect.services.history import History
from recollect.services.messages import Messages
from recollect.services.retention import Retention
from recollect.services.rewriting import Rewriting
from recollect.services.sessions import Sessions
from recollect.services.summarising import ExtractiveSummariser, LlmSummariser
from recollect.services.work import Handler, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the use cases need beside an engine."""

    clock: Clock
    ids: Ids
    counter_for: Callable[[str | None], TokenCounter]
    answering_model: ChatModel | None = None
    summarising_model: ChatModel | None = None
    model_timeout: float = 60
    """The most seconds that one answer of a model may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What interfaces call."""

    sessions: Sessions
    messages: Messages
    history: History
    contexts: Contexts
    rewriting: Rewriting
    retention: Retention
    work: Work
    api_keys: ApiKeys
    audit: AuditLog
    ids: Ids

    @classmethod
    def on(cls, stores: Stores, around: Surroundings, policies: Policies | None = None) -> Self:
        """Build the use cases on an engine's stores."""
        chosen = policies or Policies()
        clock = around.clock
        sessions = Sessions(store=stores.sessions, clock=clock, retention=chosen.retention)
        rewriting = Rewriting(
            messages=stores.messages,
            follow_ups=FollowUps(
                model=around.answering_model, model_from_billions=chosen.rewrites_from_billions
            ),
            policies=chosen,
        )
        return cls(
            sessions=sessions,
            messages=Messages(
                store=stores.messages,
                clock=clock,
                retention=chosen.retention,
                compaction=chosen.compaction,
                roles=chosen.roles,
            ),
            history=History(store=stores.history, clock=clock),
            contexts=Contexts(
                messages=stores.messages,
                sessions=sessions,
                rewriting=rewriting,
                counter_for=around.counter_for,
                policies=chosen,
            ),
            rewriting=rewriting,
            retention=Retention(expired=stores.expired, clock=clock),
            work=Work(jobs=stores.jobs, clock=clock, handlers=_handlers(stores, around, chosen)),
            api_keys=ApiKeys(store=stores.api_keys, clock=clock, ids=around.ids),
            audit=stores.audit,
            ids=around.ids,
        )


def _handlers(stores: Stores, around: Surroundings, policies: Policies) -> dict[JobKind, Handler]:
    tokens = around.counter_for(policies.model)
    offline = ExtractiveSummariser(tokens=tokens)
    by_model = around.summarising_model and LlmSummariser(
        model=around.summarising_model, tokens=tokens, timeout=around.model_timeout
    )
    compaction = Compaction(
        summaries=stores.summaries,
        clock=around.clock,
        policy=policies.compaction,
        summariser=by_model or offline,
        fallback=offline,
    )
    return {JobKind.COMPACT: compaction.do}
