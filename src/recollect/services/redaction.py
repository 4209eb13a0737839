"""What is stored of what is said: no more of results than is set, masks for personal data.

Every writer passes what it stores through here, and every reader what it searches with, so that the
same value is found by its mask. What answers a question gets the user's own words.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

from recollect.concurrency import AT_ONCE, in_daemon_thread, off_loop
from recollect.domain.conversation.message import (
    MAX_CONTENT_LENGTH,
    NO_DETAILS,
    AnswerDetails,
    Message,
    NewMessage,
    json_to_store,
)
from recollect.domain.conversation.session import (
    MAX_SESSION_NAME_LENGTH,
    NewSession,
    Session,
    SessionChanges,
)
from recollect.domain.identity.permissions import UNKNOWN
from recollect.domain.identity.scope import Scope
from recollect.domain.privacy.masking import NOTHING_TO_UNMASK, Masker, Unmasking
from recollect.domain.privacy.names import NO_NAMES, KnownNames
from recollect.domain.privacy.results import ResultPolicy
from recollect.domain.tenants.policy import TenantPolicy
from recollect.domain.text import JsonObject, JsonValue, json_characters
from recollect.ports.privacy.names import NameFinder
from recollect.services.tenants.policies import TenantPolicies

_SLOWNESS: Final = 5
"""Masking takes this many times as long as other work on as many characters."""
_MAX_LABEL: Final = 255
Result = TypeVar("Result")
SomeMessage = TypeVar("SomeMessage", NewMessage, Message)
SomeSession = TypeVar("SomeSession", NewSession, SessionChanges, Session)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """Makes what is stored of what is said, by the policies of the tenant."""

    tenants: TenantPolicies = field(default_factory=TenantPolicies)
    names: NameFinder | None = None
    """What finds names of people; None: they are not masked."""

    async def messages(self, scope: Scope, messages: Sequence[NewMessage]) -> list[NewMessage]:
        """Messages as they are stored."""
        policy = await self.tenants.of(scope)
        masker = self._masker(scope, policy)
        has_results = any(message.details.execution_result for message in messages)
        if masker is None and not has_results:
            return list(messages)
        characters = json_to_store(messages, most=AT_ONCE)
        if masker is not None:
            characters += sum(len(message.content) for message in messages)
        redact = partial(_stored_messages, messages, masker=masker, results=policy.results)
        return await self._off_loop(masker, redact, characters=characters)

    async def session(self, scope: Scope, session: SomeSession) -> SomeSession:
        """A session's name, metadata and tags as they are stored."""
        masker = await self.masker(scope)
        if masker is None:
            return session
        characters = len(session.name or "") + json_characters(session.metadata, most=AT_ONCE)
        work = partial(stored_session, session, masker)
        return await self._off_loop(masker, work, characters=characters)

    async def text(self, scope: Scope, text: str) -> str:
        """A text as it is stored, or as what is stored is searched for."""
        masker = await self.masker(scope)
        if masker is None:
            return text
        return await self._off_loop(masker, partial(masker.text, text), characters=len(text))

    async def texts(self, scope: Scope, texts: Sequence[str]) -> list[str]:
        """The same for several texts."""
        masker = await self.masker(scope)
        if masker is None:
            return list(texts)
        characters = sum(map(len, texts))
        return await self._off_loop(masker, partial(masker.texts, texts), characters=characters)

    async def unmasking(self, scope: Scope, question: str) -> Unmasking:
        """What puts the values of a question back into what is read for it, and no others."""
        masker = await self.masker(scope)
        if masker is None:
            return NOTHING_TO_UNMASK
        find = partial(masker.masks_in, question)
        return Unmasking(await self._off_loop(masker, find, characters=len(question)))

    async def masker(self, scope: Scope) -> Masker | None:
        """What masks the personal data of an owner; None if nothing is masked."""
        return self._masker(scope, await self.tenants.of(scope))

    def _masker(self, scope: Scope, policy: TenantPolicy) -> Masker | None:
        masking = self.tenants.server.policies.masking
        find_names = None if self.names is None else self.names.find
        return masking.masker(scope.owner_id, policy.masking, find_names=find_names)

    @staticmethod
    async def _off_loop(
        masker: Masker | None, work: Callable[[], Result], *, characters: int
    ) -> Result:
        """Do the work; in a thread of its own if it waits for names.

        The threads that all share are for work that nobody waits long for.
        """
        if masker is None or masker.find_names is None:
            return await off_loop(work, characters=characters * _SLOWNESS)
        return await asyncio.wrap_future(in_daemon_thread(work, name="masking"))


def unmasked(message: Message, unmasking: Unmasking) -> Message:
    """A stored message with the values that the reader has just written themselves."""
    if not unmasking.values:
        return message
    details = message.details
    if details.sql_query:
        sql = unmasking.text(details.sql_query)
        details = AnswerDetails.stored({**details.to_json(), "sql_query": sql})
    return replace(message, content=unmasking.text(message.content), details=details)


def _stored_messages(
    messages: Sequence[NewMessage], *, masker: Masker | None, results: ResultPolicy
) -> list[NewMessage]:
    stored = [_with_results(message, results) for message in messages]
    if masker is None:
        return stored
    contents = masker.texts([message.content for message in stored])
    both = zip(stored, contents, strict=True)
    return [_masked_around(message, content, masker) for message, content in both]


def masked_message(message: SomeMessage, masker: Masker) -> SomeMessage:
    """A message without personal data, in the thread that asks."""
    return _masked_around(message, masker.text(message.content), masker)


def _masked_around(message: SomeMessage, content: str, masker: Masker) -> SomeMessage:
    """A message with its masked text, and masks in all else of it.

    A name that its text has is one in its SQL and its results, too.
    """
    details, known = message.details, NO_NAMES
    if message.metadata or details is not NO_DETAILS:
        known = masker.known_names(message.content, details.query_explanation or "")
    return replace(
        message,
        content=content[:MAX_CONTENT_LENGTH],
        metadata=_object(masker, message.metadata, known),
        details=_masked_details(details, masker, known),
    )


def _with_results(message: NewMessage, results: ResultPolicy) -> NewMessage:
    """A message with what is stored of its result."""
    details = _details_with_results(message.details, results)
    return message if details is message.details else replace(message, details=details)


def _details_with_results(details: AnswerDetails, results: ResultPolicy) -> AnswerDetails:
    """The details with what is stored of the result.

    An answer that names neither a query nor tables still draws on some.
    """
    result = details.execution_result
    if result is None:
        return details
    kept = results.keep_of(result)
    stored: dict[str, JsonValue] = {**details.to_json(), "execution_result": kept}
    if result and not kept and not details.sql_query and not details.tables_used:
        stored["tables_used"] = (UNKNOWN,)
    return AnswerDetails.stored(stored)


def _masked_details(details: AnswerDetails, masker: Masker, known: KnownNames) -> AnswerDetails:
    if details is NO_DETAILS:
        return details
    masked = details.to_json()
    ways: dict[str, Callable[[JsonValue], JsonValue]] = {
        "sql_query": lambda sql: masker.sql(str(sql), known=known)[:MAX_CONTENT_LENGTH],
        "query_explanation": lambda text: masker.text(str(text))[:MAX_CONTENT_LENGTH],
        "execution_result": partial(masker.json, known=known),
        "citations": partial(masker.json, known=known),
    }
    for name, mask in ways.items():
        if name in masked:
            masked[name] = mask(masked[name])
    return AnswerDetails.stored(masked)


def stored_session(session: SomeSession, masker: Masker) -> SomeSession:
    """A session's name, metadata and tags as they are stored, in the thread that asks."""
    name = session.name and masker.text(session.name)[:MAX_SESSION_NAME_LENGTH]
    metadata = None if session.metadata is None else _object(masker, session.metadata)
    tags = session.tags and tuple(tag[:_MAX_LABEL] for tag in masker.texts(session.tags))
    return replace(session, name=name, metadata=metadata, tags=tags)


def _object(masker: Masker, value: JsonObject, known: KnownNames = NO_NAMES) -> JsonObject:
    masked = masker.json(value, known=known)
    assert isinstance(masked, dict)  # noqa: S101  # of an object
    return masked
