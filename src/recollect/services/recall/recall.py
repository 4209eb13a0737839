"""Recalling what was said before, as far as the user may see it."""

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

from recollect.domain.conversation.message import Message
from recollect.domain.conversation.turns import TurnStatus
from recollect.domain.followup.language import detect_language
from recollect.domain.followup.languages import installed
from recollect.domain.identity.permissions import Access, TurnKey, turn_key
from recollect.domain.identity.scope import Scope
from recollect.domain.language import is_common_word
from recollect.domain.recall.entries import EntryMaker
from recollect.domain.recall.entry import Candidate, Entry, RecallFilter, RecallQuery, Vector
from recollect.domain.recall.query import (
    MAX_QUERY_LENGTH,
    AlreadyInContext,
    RecallQuestion,
    check_count,
    check_query,
    checked_filter,
    is_related,
    read_question,
)
from recollect.domain.recall.ranking import CANDIDATES, Ranked, rank, said_once
from recollect.domain.recall.recalled import (
    DEFAULT_RECALLED,
    Recalled,
    RecallPolicy,
    RecallScope,
    Recollection,
)
from recollect.domain.recall.words import words_of
from recollect.errors import ModelUnavailable, SessionNotFound, VectorStoreUnavailable
from recollect.offloading import off_loop
from recollect.ports.conversations import HistoryStore, SessionStore
from recollect.ports.models import Embedder
from recollect.ports.recall import RecallIndex, WordStems
from recollect.ports.runtime import Clock
from recollect.services.access import Permissions
from recollect.services.conversations.sessions import LastAccess

_TOO_FEW: Final = 4
"""So many words or fewer do not tell their language: 'sales' would pass for Spanish."""
_OTHER_LANGUAGES: Final = 0.7
OFF: Final = "recall is off on this server (MEMORY_RECALL=off): nothing is indexed"
NO_INDEX: Final = "recall is not kept by this engine: nothing is indexed"
NO_EMBEDDER: Final = "there is no embedding model: only words were compared, not meanings"
EMBEDDER_FAILED: Final = (
    "the embedding model did not answer: only words were compared, not meanings"
)
VECTORS_FAILED: Final = (
    "the store of vectors did not answer: only words were compared, not meanings"
)
FAILED: Final = "what was said before could not be looked for"
ALL_ENTRIES: Final = RecallFilter()
_SPEAKERS: Final = 100  # a log has a handful; who has more names rarely asks for all
_SPEAKERS_LAST: Final = timedelta(seconds=10)
_OWNERS_KNOWN: Final = 1000
_FOR_EACH: Final = 3  # candidates by words, and by meaning, for each that is wanted
_WIDER: Final = 4  # how many times as many are looked at where too many may not be told
_MOST_CANDIDATES: Final = 6400
_CHECKED_AT_ONCE: Final = 50
_SLOWNESS: Final = 20  # times as long as other work on as many characters
logger = logging.getLogger(__name__)


def terms_of(question: str, stems: WordStems, *, language: str | None = None) -> dict[str, float]:
    """The stems of a question with their weights.

    A short question is looked for in every language: what was said was read in its own.
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
    """Takes from what was found all that draws on tables not to be seen.

    The messages themselves are asked, as for windows: what the index knows of tables is for
    finding, and may be older than the rules.
    """

    permissions: Permissions
    history: HistoryStore

    async def of(
        self, scope: Scope, access: Access, candidates: Sequence[Candidate]
    ) -> tuple[Candidate, ...]:
        """Those that may be seen, in their order, and no more of each than may be seen."""
        if access.is_everything or not candidates:
            return tuple(candidates)
        turns = {(found.entry.session_id, found.entry.turn_number) for found in candidates}
        stored = await self.history.of_turns(scope, turns)
        told = await self.permissions.for_model(access, stored)
        whole = {message.message_id: message for message in stored}
        left = _by_turn(told)
        seen = (self._seen(found.entry, whole, left) for found in candidates)
        return tuple(
            found._replace(entry=entry)
            for found, entry in zip(candidates, seen, strict=True)
            if entry is not None
        )

    def _seen(
        self,
        entry: Entry,
        whole: Mapping[UUID, Message],
        left: Mapping[TurnKey, Sequence[Message]],
    ) -> Entry | None:
        """The entry as it reads with what is left of its turn; None if nothing is."""
        turn = left.get((entry.session_id, entry.turn_number), ())
        mine = [message for message in turn if message.message_id in entry.message_ids]
        if len(mine) != len(entry.message_ids):
            return None
        if all(message == whole[message.message_id] for message in mine):
            return entry
        maker = EntryMaker(stems=str.split, tables_of=self.permissions.tables_of)
        made = maker.entries_of(mine, TurnStatus.COMPLETE, is_latest=False)
        again = (one.entry for one in made if one.entry.sequence == entry.sequence)
        return next(again, None)


def _by_turn(messages: Sequence[Message]) -> dict[TurnKey, list[Message]]:
    found: defaultdict[TurnKey, list[Message]] = defaultdict(list)
    for message in sorted(messages, key=lambda message: message.sequence):
        found[turn_key(message)].append(message)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """One search: for whom, for what, and what of it is wanted."""

    scope: Scope
    text: str
    k: int
    filters: RecallFilter
    access: Access
    known: AlreadyInContext | None = None
    """What is there already; None for whoever wants all that can be found."""

    def wanted(self, found: Sequence[Candidate], question: RecallQuestion) -> Sequence[Candidate]:
        """What of it would be something new, and to the point."""
        known = self.known
        if known is None:
            return found
        is_new = (one for one in found if not known.has(one.entry))
        return [one for one in is_new if is_related(one, question.time)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speakers:
    """Who was found to speak in an owner's logs, and when that was."""

    names: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Looks for earlier exchanges by words and by meaning, among those of one owner."""

    index: RecallIndex | None
    """None where the engine keeps none."""
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
    _speakers: dict[UUID, _Speakers] = field(default_factory=dict)

    async def search(
        self,
        scope: Scope,
        query: str,
        *,
        k: int = DEFAULT_RECALLED,
        filters: RecallFilter = ALL_ENTRIES,
    ) -> Recollection:
        """The exchanges that answer the query best, at most k, best first.

        A session to look in must be the owner's.
        """
        check_query(query)
        check_count(k)
        wanted = checked_filter(filters)
        session_id = wanted.session_id
        if session_id is not None:
            session = await self.sessions.get(scope, session_id)
            if session is None:
                raise SessionNotFound(session_id)
            self.last_access.note(scope, session_id, last=session.last_accessed_at)
        if self.index is None or not self.is_indexed:
            return Recollection(warnings=(NO_INDEX if self.index is None else OFF,))
        access = await self.permissions.allowed(scope)
        search = _Search(scope=scope, text=query, k=k, filters=wanted, access=access)
        found = await self._find(self.index, search)
        return replace(found, warnings=(*access.warnings, *found.warnings))

    async def for_context(
        self,
        scope: Scope,
        question: str,
        *,
        policy: RecallPolicy,
        known: AlreadyInContext,
        access: Access,
    ) -> Recollection:
        """What a context tells beside its window; never an error, at worst a warning."""
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
        )
        try:
            found = await self._find(self.index, search)
        except Exception as error:  # noqa: BLE001  # an answer without recall is better than none
            facts = {"problem": type(error).__name__}
            logger.warning("recall.failed", extra={"facts": facts})
            return Recollection(warnings=(FAILED,))
        # Whoever runs a server without an embedder knows it; not every context has to say so.
        return replace(found, warnings=tuple(w for w in found.warnings if w != NO_EMBEDDER))

    async def _find(self, index: RecallIndex, search: _Search) -> Recollection:
        """What may be told, of so many of the best that what may not takes nobody's place."""
        question, terms = await self._read(index, search)
        vector, warnings = await self._vector_of(question.to_embed)
        query = RecallQuery(
            terms=terms,
            model=self.embedder.model if self.embedder and vector else None,
            vector=vector,
            filters=search.filters,
            count=max(CANDIDATES, search.k * _FOR_EACH),
        )
        while True:
            try:
                found = await index.search(search.scope, query)
            except VectorStoreUnavailable as error:
                query, warnings = _by_words(query, error), (*warnings, VECTORS_FAILED)
                continue
            wanted = search.wanted(found, question)
            order = rank(wanted, question, now=self.clock.now())
            best = await self._permitted(order, search)
            is_all = len(found) < query.count or query.count >= _MOST_CANDIDATES
            if len(best) == search.k or is_all:
                return Recollection(items=_recalled(best), warnings=warnings)
            query = replace(query, count=query.count * _WIDER)

    async def _read(
        self, index: RecallIndex, search: _Search
    ) -> tuple[RecallQuestion, Mapping[str, float]]:
        """The question as an owner means it whose logs may name their speakers, and its words."""
        speakers = await self._speakers_in(index, search.scope)
        read = partial(self._question, search, speakers)
        return await off_loop(read, characters=len(search.text) * _SLOWNESS)

    def _question(
        self, search: _Search, speakers: Sequence[str]
    ) -> tuple[RecallQuestion, Mapping[str, float]]:
        question = read_question(
            search.text,
            speakers=speakers,
            me=search.scope.user,
            language=detect_language(search.text),
            now=self.clock.now(),
        )
        stems = partial(terms_of, stems=self.stems, language=question.language)
        return question, question.terms(stems)

    async def _speakers_in(self, index: RecallIndex, scope: Scope) -> Sequence[str]:
        """Who speaks in the owner's logs; looked up again after a while, for they seldom change."""
        now = self.clock.now()
        known = self._speakers.get(scope.owner_id)
        if known is None or not known.at <= now < known.at + _SPEAKERS_LAST:
            names = await index.speakers(scope, limit=_SPEAKERS)
            known = _Speakers(names=names, at=now)
            while len(self._speakers) >= _OWNERS_KNOWN:
                self._speakers.pop(next(iter(self._speakers)))
            self._speakers[scope.owner_id] = known
        return known.names

    async def _vector_of(self, question: str) -> tuple[Vector | None, tuple[str, ...]]:
        """The question's vector; without one, why there is none. Nothing is held meanwhile."""
        if self.embedder is None:
            return None, (NO_EMBEDDER,)
        try:
            async with asyncio.timeout(self.embedding_seconds):
                vector = await self.embedder.embed_question(question)
        except (ModelUnavailable, TimeoutError) as error:
            facts = {"problem": type(error).__name__}
            logger.warning("recall.not_embedded", extra={"facts": facts})
            return None, (EMBEDDER_FAILED,)
        return vector, ()

    async def _permitted(self, order: Sequence[Ranked], search: _Search) -> list[Ranked]:
        """The first k that may be told; the messages of as few as will do are looked at."""
        kept: list[Ranked] = []
        for start in range(0, len(order), _CHECKED_AT_ONCE):
            if len(kept) >= search.k:
                break
            seen = await self._seen(order[start : start + _CHECKED_AT_ONCE], search)
            kept = said_once([*kept, *seen], most=search.k)
        return kept

    async def _seen(self, ranked: Sequence[Ranked], search: _Search) -> Sequence[Ranked]:
        if search.access.is_everything:
            return ranked
        found = [one.candidate for one in ranked]
        scores = {_place(one.candidate): one.score for one in ranked}
        seen = await self.seen_entries.of(search.scope, search.access, found)
        return [Ranked(one, scores[_place(one)]) for one in seen]


def _place(candidate: Candidate) -> tuple[UUID, int]:
    return candidate.entry.session_id, candidate.entry.sequence


def _by_words(query: RecallQuery, error: VectorStoreUnavailable) -> RecallQuery:
    """The same without meanings, which the store that keeps them cannot compare now."""
    if query.vector is None:
        raise error
    logger.warning("recall.by_words", extra={"facts": {"problem": str(error)}})
    return replace(query, model=None, vector=None)


def _recalled(ranked: Sequence[Ranked]) -> tuple[Recalled, ...]:
    """What is told, with scores up to 1: some are higher when much speaks for an entry."""
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
