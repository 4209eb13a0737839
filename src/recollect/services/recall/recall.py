"""Searching earlier exchanges, as far as the user may see them."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.conversation.message import Message
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.followup.language import detect_language
from recollect.domain.followup.languages import installed
from recollect.domain.identity.audit import AuditAction
from recollect.domain.identity.permissions import Access, TurnKey, turn_key
from recollect.domain.identity.scope import Scope
from recollect.domain.language import is_common_word, words_of
from recollect.domain.recall.diversity import READ, SEARCHED, cover_each, things_in
from recollect.domain.recall.entry import (
    DEFAULT_RECALLED,
    EMBEDDER_FAILED,
    Candidate,
    EntriesSeen,
    Entry,
    Recalled,
    RecallFilter,
    RecallPolicy,
    RecallQuery,
    RecallScope,
    Recollection,
)
from recollect.domain.recall.entry_maker import EntryMaker
from recollect.domain.recall.forgetting import commands_last, possible_commands
from recollect.domain.recall.query import (
    MAX_QUERY_LENGTH,
    AlreadyInContext,
    RecallQuestion,
    check_query,
    checked_filter,
    is_related,
    read_question,
)
from recollect.domain.recall.ranking import CANDIDATES, Ranked, rank, said_once
from recollect.domain.vectors import Vector
from recollect.errors import ModelUnavailable, SessionNotFound, VectorStoreUnavailable
from recollect.ports.conversations import HistoryStore, SessionStore
from recollect.ports.metrics import RECALLS
from recollect.ports.models import Embedder
from recollect.ports.recall import RecallIndex, WordStems
from recollect.ports.runtime import Clock
from recollect.ports.telemetry import Stage
from recollect.services.access import Permissions
from recollect.services.audit.operations import Audited, audited
from recollect.services.conversations.last_access import LastAccess
from recollect.services.languages import languages_loaded, phrases_loaded
from recollect.services.recall.reranking import Reranking
from recollect.services.redaction import Redaction

_TOO_FEW: Final = 4
"""The language of this many words or fewer is unknown: 'sales' would pass for Spanish."""
_OTHER_LANGUAGES: Final = 0.7
OFF: Final = "recall is off on this server (MEMORY_RECALL=off): nothing is indexed"
NO_INDEX: Final = "recall is not kept by this engine: nothing is indexed"
NO_EMBEDDER: Final = "there is no embedding model: only words were compared, not meanings"
VECTORS_FAILED: Final = (
    "the store of vectors did not answer: only words were compared, not meanings"
)
FAILED: Final = "what was said before could not be looked for"
ALL_ENTRIES: Final = RecallFilter()
_SPEAKERS: Final = 100  # a log has a handful; who has more names rarely asks for all
_SPEAKERS_LAST: Final = timedelta(seconds=10)
_OWNERS_KNOWN: Final = 1000
_FOR_EACH: Final = 3  # candidates by words, and by meaning, for each result
_WIDER: Final = 4  # times as many candidates if too few of the first may be shown
_MOST_CANDIDATES: Final = 6400
_CHECKED_AT_ONCE: Final = 50
_SLOWNESS: Final = 20  # times as long as other work on as many characters
logger = logging.getLogger(__name__)


def terms_of(question: str, stems: WordStems, *, language: str | None = None) -> dict[str, float]:
    """The stems of a question with their weights.

    A short question is stemmed in every language, as entries are stemmed in their own.
    """
    terms = dict.fromkeys(stems.stems(question, language=language), 1.0)
    words = list(islice(words_of(question), _TOO_FEW + 1))
    if len(words) > _TOO_FEW:
        return terms
    telling = " ".join(word for word in words if not is_common_word(word))
    for other in installed():
        for stem in stems.stems(telling, language=other):
            terms.setdefault(stem, _OTHER_LANGUAGES)
    return terms


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleEntries:
    """Removes from candidates what uses tables that the user may not see.

    The stored messages decide, as for windows: the tables in the index may be older than the
    permissions.
    """

    permissions: Permissions
    history: HistoryStore

    async def of(
        self, scope: Scope, access: Access, candidates: Sequence[Candidate]
    ) -> tuple[Candidate, ...]:
        """The visible candidates in their order, each with its visible part."""
        if access.is_everything or not candidates:
            return tuple(candidates)
        turns = {(one.entry.session_id, one.entry.turn_number) for one in candidates}
        stored = await self.history.of_turns(scope, turns)
        visible: defaultdict[TurnKey, list[Message]] = defaultdict(list)
        for message in await self.permissions.for_model(access, stored):
            visible[turn_key(message)].append(message)
        whole = {message.message_id: message for message in stored}
        entries = (self._visible(one.entry, whole, visible) for one in candidates)
        return tuple(
            one._replace(entry=entry)
            for one, entry in zip(candidates, entries, strict=True)
            if entry is not None
        )

    def _visible(
        self,
        entry: Entry,
        whole: Mapping[UUID, Message],
        visible: Mapping[TurnKey, Sequence[Message]],
    ) -> Entry | None:
        """The entry made of the visible messages of its turn; None if one is hidden."""
        turn = visible.get((entry.session_id, entry.turn_number), ())
        messages = [message for message in turn if message.message_id in entry.message_ids]
        messages.sort(key=lambda message: message.sequence)
        if len(messages) != len(entry.message_ids):
            return None
        if all(message == whole[message.message_id] for message in messages):
            return entry
        maker = EntryMaker(stems=str.split, tables_of=self.permissions.tables_of)
        made = maker.entries_of(messages, TurnStatus.COMPLETE, is_latest=False)
        same = (one.entry for one in made if one.entry.sequence == entry.sequence)
        return next(same, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """One search and its limits."""

    scope: Scope
    text: str
    k: int
    filters: RecallFilter
    access: Access
    known: AlreadyInContext | None = None
    """What the context has already; None if the search is not for a context."""
    by_words_alone: bool = False
    """Whether no model is asked: neither for the question's vector nor for the order."""
    is_related_only: bool = False
    """Whether candidates that are merely the nearest are left out, as they are of contexts."""
    seen: EntriesSeen | None = None
    """The owner's entries as they were when the context was begun."""

    def relevant(
        self, candidates: Sequence[Candidate], question: RecallQuestion
    ) -> Sequence[Candidate]:
        """The candidates that are new to the context and related to the question."""
        known, time = self.known, question.time
        if known is None and not self.is_related_only:
            return candidates
        related = (one for one in candidates if is_related(one, time))
        return [one for one in related if known is None or not known.has(one.entry)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Audited):
    """Searches the earlier exchanges of one owner by words and by meaning."""

    index: RecallIndex | None
    """None if the engine has no index."""
    sessions: SessionStore
    last_access: LastAccess
    permissions: Permissions
    seen_entries: VisibleEntries
    clock: Clock
    stems: WordStems
    embedder: Embedder | None = None
    is_indexed: bool = True
    """Whether exchanges are indexed on this server."""
    embedding_seconds: float = 5.0
    """The longest that a question waits for its vector."""
    reranking: Reranking | None = None
    """None: results keep the order of words and meaning."""
    redaction: Redaction = field(default_factory=Redaction)
    _speakers: dict[UUID, tuple[datetime, tuple[str, ...]]] = field(default_factory=dict)
    """When the speakers in an owner's logs were read, and who they are."""

    @audited(AuditAction.RECALL_READ)
    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        k: int = DEFAULT_RECALLED,
        filters: RecallFilter = ALL_ENTRIES,
        is_related_only: bool = False,
    ) -> Recollection:
        """The exchanges that match the query best, at most k, best first.

        `is_related_only` leaves out those that share neither words nor meaning with the query.
        `SessionNotFound` if a session to search in is not the owner's.
        """
        check_query(query, k)
        filters = checked_filter(filters)
        session_id = filters.session_id
        if session_id is not None:
            session = await self.sessions.get(scope, session_id)
            if session is None:
                raise SessionNotFound(session_id)
            self.last_access.note(scope, session_id, last=session.last_accessed_at)
        if self.index is None or not self.is_indexed:
            return Recollection(warnings=(NO_INDEX if self.index is None else OFF,))
        access = await self.permissions.allowed(scope)
        text = await self.redaction.text(scope, query)
        if filters.speaker is not None:
            speaker = await self.redaction.text(scope, filters.speaker)
            filters = replace(filters, speaker=speaker)
        search = _Search(
            scope=scope,
            text=text,
            k=k,
            filters=filters,
            access=access,
            is_related_only=is_related_only,
        )
        results = await self._results(self.index, search)
        self._count(results)
        if not access.warnings:
            return results
        return replace(results, warnings=(*access.warnings, *results.warnings))

    async def for_context(
        self,
        scope: Scope,
        question: str,
        *,
        policy: RecallPolicy,
        known: AlreadyInContext,
        access: Access,
        by_words_alone: bool = False,
        seen: EntriesSeen | None = None,
    ) -> Recollection:
        """Results for a context beside its window; failures are warnings, never errors."""
        if self.index is None or not self.is_indexed:
            return Recollection(warnings=() if self.index is None else (OFF,))
        within = known.session_id if policy.scope is RecallScope.SESSION else None
        search = _Search(
            scope=scope,
            text=question[:MAX_QUERY_LENGTH],
            k=policy.k,
            filters=RecallFilter(session_id=within, without=known.messages),
            access=access,
            known=known,
            by_words_alone=by_words_alone,
            seen=seen,
        )
        try:
            results = await self._results(self.index, search)
        except Exception as error:  # noqa: BLE001  # an answer without recall is better than none
            facts = {"problem": type(error).__name__}
            logger.warning("recall.failed", extra={"facts": facts})
            self.telemetry.count(RECALLS, "failed")
            return Recollection(warnings=(FAILED,))
        self._count(results)
        # A server without an embedder is configured so; not every context has to say it.
        if NO_EMBEDDER not in results.warnings:
            return results
        return replace(results, warnings=tuple(w for w in results.warnings if w != NO_EMBEDDER))

    async def _results(self, index: RecallIndex, search: _Search) -> Recollection:
        """The best k that the user may see; more candidates are read until there are k."""
        question, terms = await self._read(index, search)
        vector, warnings = await self._vector_of(question.to_embed, search)
        query = RecallQuery(
            terms=terms,
            model=self.embedder.model if self.embedder and vector else None,
            vector=vector,
            filters=search.filters,
            count=max(CANDIDATES, search.k * _FOR_EACH),
            # Models may take seconds, in which entries are deleted: then the index is asked.
            state=search.seen.state_at(self.clock.now()) if search.seen else None,
        )
        # A cross-encoder does not see when something was said.
        is_in_order = search.by_words_alone or question.occurrence
        reranking = None if is_in_order else self.reranking
        depth = reranking.depth(question) if reranking else 0
        things = () if question.occurrence else things_in(question.to_embed, question.language)
        most = max(search.k, depth, SEARCHED if things else 0)
        while True:
            try:
                candidates = await index.search(search.scope, query)
            except VectorStoreUnavailable as error:
                if query.vector is None:
                    raise
                logger.warning("recall.by_words", extra={"facts": {"problem": str(error)}})
                query = replace(query, model=None, vector=None, state=None)
                warnings = (*warnings, VECTORS_FAILED)
                continue
            relevant = search.relevant(candidates, question)
            ranked = rank(relevant, question, now=self.clock.now())
            best = await self._visible_best(ranked, search, question, most=most)
            is_all = len(candidates) < query.count or query.count >= _MOST_CANDIDATES
            if len(best) >= search.k or is_all:
                if reranking and depth:
                    around = ranked if search.access.is_everything else best
                    best = await reranking.rerank(best, question, depth=depth, around=around)
                if things:
                    best = await self._cover(best, things, language=question.language)
                results = _recalled(best[: search.k])
                if not question.occurrence:
                    results = await _with_commands_last(results)
                return Recollection(items=results, warnings=warnings)
            query = replace(query, count=query.count * _WIDER)

    def _count(self, results: Recollection) -> None:
        self.telemetry.count(RECALLS, "some" if results.items else "none")

    async def _read(
        self, index: RecallIndex, search: _Search
    ) -> tuple[RecallQuestion, Mapping[str, float]]:
        """The question as recall reads it, and the weights of its words."""
        names_nobody = search.seen is not None and not search.seen.has_speakers
        speakers = () if names_nobody else await self._speakers_in(index, search.scope)

        def read() -> tuple[RecallQuestion, Mapping[str, float]]:
            question = read_question(
                search.text,
                speakers=speakers,
                me=search.scope.user,
                language=detect_language(search.text),
                now=self.clock.now(),
            )
            stems = partial(terms_of, stems=self.stems, language=question.language)
            return question, question.terms(stems)

        await languages_loaded()
        return await off_loop(read, characters=len(search.text) * _SLOWNESS)

    async def _speakers_in(self, index: RecallIndex, scope: Scope) -> Sequence[str]:
        """The speakers in the owner's logs, read again every ten seconds."""
        now = self.clock.now()
        read_at, names = self._speakers.get(scope.owner_id, (None, ()))
        if read_at is None or not read_at <= now < read_at + _SPEAKERS_LAST:
            names = await index.speakers(scope, limit=_SPEAKERS)
            while len(self._speakers) >= _OWNERS_KNOWN:
                self._speakers.pop(next(iter(self._speakers)))
            self._speakers[scope.owner_id] = now, names
        return names

    async def _vector_of(
        self, question: str, search: _Search
    ) -> tuple[Vector | None, tuple[str, ...]]:
        """The question's vector, or None and a warning why there is none."""
        if search.by_words_alone:
            return None, ()
        if self.embedder is None:
            return None, (NO_EMBEDDER,)
        try:
            with self.telemetry.stage(Stage.EMBED):
                async with asyncio.timeout(self.embedding_seconds):
                    vector = await self.embedder.embed_question(question)
        except (ModelUnavailable, TimeoutError) as error:
            facts = {"problem": type(error).__name__}
            logger.warning("recall.not_embedded", extra={"facts": facts})
            return None, (EMBEDDER_FAILED,)
        return vector, ()

    async def _cover(
        self, best: Sequence[Ranked], things: Sequence[str], *, language: str
    ) -> Sequence[Ranked]:
        """The results with one about each thing among the first."""
        stems = partial(self.stems.stems, language=language)
        characters = sum(min(len(one.candidate.entry.text), READ) for one in best[:SEARCHED])
        cover = partial(cover_each, best, things, stems=stems)
        return await off_loop(cover, characters=characters * _SLOWNESS)

    async def _visible_best(
        self,
        ranked: Sequence[Ranked],
        search: _Search,
        question: RecallQuestion,
        *,
        most: int,
    ) -> Sequence[Ranked]:
        """The first `most` that the user may see; no more messages are read than needed."""
        best: list[Ranked] = []
        for start in range(0, len(ranked), _CHECKED_AT_ONCE):
            if len(best) >= most:
                break
            visible = await self._visible(ranked[start : start + _CHECKED_AT_ONCE], search)
            best = said_once([*best, *visible], most=most, occurrence=question.occurrence)
        return best

    async def _visible(self, ranked: Sequence[Ranked], search: _Search) -> Sequence[Ranked]:
        if search.access.is_everything:
            return ranked
        candidates = [one.candidate for one in ranked]
        scores = {(one.entry.session_id, one.entry.sequence): score for one, score in ranked}
        visible = await self.seen_entries.of(search.scope, search.access, candidates)
        return [Ranked(one, scores[one.entry.session_id, one.entry.sequence]) for one in visible]


async def _with_commands_last(results: tuple[Recalled, ...]) -> tuple[Recalled, ...]:
    """The results with commands to forget behind all others; many are read in a thread."""
    await phrases_loaded()
    look = partial(possible_commands, results)
    possible = await off_loop(look, characters=sum(len(one.text) for one in results))
    characters = sum(len(message) for _, message in possible)
    work = partial(commands_last, results, possible)
    return await off_loop(work, characters=characters * _SLOWNESS) if possible else results


def _recalled(ranked: Sequence[Ranked]) -> tuple[Recalled, ...]:
    """The results, with their scores scaled to at most 1."""
    highest = max((one.score for one in ranked), default=0.0)
    return tuple(
        Recalled(
            score=max(0.0, score / max(highest, 1.0)),
            session_id=entry.session_id,
            message_ids=entry.message_ids,
            text=entry.text,
            created_at=entry.said_at,
            speaker=entry.speaker,
            tables=entry.tables,
            lexical=words[own],
            semantic=meanings[own],
        )
        for (entry, words, meanings, own), score in ranked
    )
