"""Summarising the older messages of long conversations: by a language model, or without one."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Final
from uuid import UUID

from recollect.concurrency import off_loop
from recollect.domain.context.compaction import (
    CompactionPolicy,
    Summary,
    Uncompacted,
    naming,
    range_to_compact,
    tables_of_summary,
)
from recollect.domain.conversation.message import Message, Role, characters_in
from recollect.domain.identity.scope import Scope
from recollect.domain.language import guess_language
from recollect.domain.summary.candidates import MessageReader, Utterance, read_message
from recollect.domain.summary.extractive import cut_to_fit, summarise_extractively
from recollect.domain.summary.keeping import keep_facts
from recollect.domain.summary.prompting import (
    SummaryPrompt,
    split_tables_line,
    summary_from_answer,
    summary_prompt,
    tables_line,
    words_for,
)
from recollect.domain.text import storable
from recollect.errors import ModelUnavailable
from recollect.ports.jobs import Job, SummaryStore
from recollect.ports.models import ChatModel, Prompt, TokenCounter
from recollect.ports.runtime import Clock
from recollect.services.redaction import Redaction

_TABLES_PART: Final = 5  # the names of tables take at most a fifth of a summary
_LONGEST_ANSWER: Final = 20  # times the tokens allowed; the rest of an endless answer is not read
_SQL_SHOWN: Final = 500
_READ_FOR_LANGUAGE: Final = 2000
SLOWNESS: Final = 4  # times as long as other work on as many characters
_GRACE_SECONDS: Final = 0.5  # for a model that should have given up by itself
_AT_ONCE: Final = 500
_SUMMARY_TOKENS: Final = 500
_TRIES_OF_THE_MODEL: Final = 3
_NOTHING_OF_NOTE: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveSummariser:
    """Picks the sentences that say most; always works, offline."""

    tokens: TokenCounter
    read: MessageReader = read_message
    method: str = "extractive"

    async def summarise(
        self, messages: Sequence[Message], *, previous: str | None, max_tokens: int
    ) -> str:
        """One summary of the messages, oldest first, and of the summary of those before them.

        Never longer than `max_tokens`; '' if there is nothing to say. The tables the answers came
        from are named in the last line.
        """
        return await off_loop(
            partial(self.extract, messages, previous=previous, max_tokens=max_tokens),
            characters=SLOWNESS * (characters_in(messages) + len(previous or "")),
        )

    def extract(self, messages: Sequence[Message], *, previous: str | None, max_tokens: int) -> str:
        """The same at once, for callers in a thread."""
        earlier, tables = split_tables_line(previous or "")
        for message in messages:
            tables += message.details.tables_used or ()
        count, line = self.tokens.count, ""
        if tables:
            limit = max_tokens // _TABLES_PART
            line = tables_line(tables, language=_language(messages), limit=limit, count=count)
        utterances = _utterances(messages)
        limit = max_tokens - count(f"\n{line}" if line else "")
        summary = summarise_extractively(
            utterances, limit=limit, count=count, earlier=earlier, read=self.read
        )
        if not line:
            return summary
        whole = "\n".join(filter(None, [summary, line]))
        return whole if count(whole) <= max_tokens else summary


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSummariser:
    """Has a language model write the summary, and takes only what can be one.

    What the model forgets of the names, figures and wishes of the earlier summary, or of those
    that the user stated, is kept beside what it wrote.
    """

    model: ChatModel
    tokens: TokenCounter
    timeout: float = 60.0
    max_prompt_tokens: int = 3000
    """What is sent at most, instructions included; older messages are condensed beyond it."""
    method: str = "llm"

    async def summarise(
        self, messages: Sequence[Message], *, previous: str | None, max_tokens: int
    ) -> str:
        """The same; `ModelUnavailable` if the model wrote nothing that can be used."""
        spoken = [message for message in messages if message.role is not Role.SYSTEM]
        if not spoken:
            return await off_loop(
                partial(cut_to_fit, previous or "", limit=max_tokens, count=self.tokens.count),
                characters=len(previous or ""),
            )
        language = _language(spoken)
        prompt = await asyncio.to_thread(
            summary_prompt,
            _utterances(spoken, text_of=_with_sql),
            earlier=previous or "",
            language=language,
            max_words=words_for(max_tokens),
            limit=self.max_prompt_tokens,
            count=self.tokens.count,
        )
        answer = await self._ask(prompt, max_tokens)
        try:
            summary = await asyncio.to_thread(
                summary_from_answer,
                answer[: max_tokens * _LONGEST_ANSWER],
                prompt=prompt,
                language=language,
                limit=max_tokens,
                count=self.tokens.count,
            )
        except ValueError as error:
            raise ModelUnavailable(f"the model's summary cannot be used: it {error}") from error
        return await asyncio.to_thread(
            keep_facts,
            summary,
            earlier=split_tables_line(previous or "")[0],
            utterances=_utterances(spoken),
            limit=max_tokens,
            count=self.tokens.count,
        )

    async def _ask(self, prompt: SummaryPrompt, max_tokens: int) -> str:
        try:
            async with asyncio.timeout(self.timeout + _GRACE_SECONDS):
                return await self.model.complete(
                    [
                        Prompt(role="system", content=prompt.instructions),
                        Prompt(role="user", content=prompt.shown),
                    ],
                    max_tokens=max_tokens,
                    timeout=self.timeout,
                )
        except TimeoutError:
            raise ModelUnavailable(
                f"the model wrote no summary within {self.timeout:g} seconds"
            ) from None


Summariser = ExtractiveSummariser | LlmSummariser


def _language(messages: Sequence[Message]) -> str | None:
    return guess_language(message.content[:_READ_FOR_LANGUAGE] for message in messages)


def _utterances(
    messages: Sequence[Message], *, text_of: Callable[[Message], str] = attrgetter("content")
) -> list[Utterance]:
    return [Utterance(speaker=str(message.role), text=text_of(message)) for message in messages]


def _with_sql(message: Message) -> str:
    details = message.details
    sql = f"SQL: {details.sql_query[:_SQL_SHOWN]}" if details.sql_query else ""
    tables = f"Tables: {', '.join(details.tables_used)}" if details.tables_used else ""
    return "\n".join([message.content, *filter(None, (sql, tables))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Replaces the older messages of long conversations in contexts by a summary."""

    summaries: SummaryStore
    clock: Clock
    tables_of: Callable[[Message], tuple[str, ...]]
    """The tables that a message draws on."""
    policy: CompactionPolicy | None
    """None where nothing is to be compacted any more; jobs that still wait are then done."""
    summariser: Summariser
    fallback: Summariser
    """What takes over when the summariser has failed too often."""
    redaction: Redaction = field(default_factory=Redaction)

    async def do(self, job: Job) -> None:
        """Summarise what a job names."""
        if self.policy is None:
            return
        is_worn_out = job.attempts > _TRIES_OF_THE_MODEL
        by = self.fallback if is_worn_out else self.summariser
        await self.compact(job.scope, job.session_id, keep=self.policy.keep, by=by)

    async def compact(self, scope: Scope, session_id: UUID, *, keep: int, by: Summariser) -> int:
        """Summarise a session's older messages, some at a time, and say how many.

        A model's failure changes nothing. Of two workers at the same session one prevails and
        the other leaves it at that.
        """
        compacted = 0
        while uncompacted := await self.summaries.uncompacted(scope, session_id, limit=_AT_ONCE):
            messages = range_to_compact(uncompacted, keep=keep)
            if not messages:
                break
            summary = await self._summarise(uncompacted, messages, by)
            # Of messages that were stored before masking was set; others are masked already.
            text = await self.redaction.text(scope, summary.text)
            summary = replace(summary, text=text)
            replaced, added = uncompacted.summarized_through, len(messages)
            if not await self.summaries.put(
                scope, session_id, summary, replaces=replaced, added=added
            ):
                break
            compacted += added
            if len(uncompacted.messages) < _AT_ONCE:
                break
        return compacted

    async def _summarise(
        self, uncompacted: Uncompacted, chosen: Sequence[Message], by: Summariser
    ) -> Summary:
        previous = uncompacted.summary
        messages = await asyncio.to_thread(self._summarisable, uncompacted, chosen)
        text = await by.summarise(
            messages, previous=previous.text if previous else None, max_tokens=_SUMMARY_TOKENS
        )
        return Summary(
            text=storable(text).strip() or (previous.text if previous else _NOTHING_OF_NOTE),
            first_sequence=previous.first_sequence if previous else chosen[0].sequence,
            last_sequence=chosen[-1].sequence,
            tables=tables_of_summary(messages, previous, self.tables_of),
            method=by.method,
            created_at=self.clock.now(),
        )

    def _summarisable(self, uncompacted: Uncompacted, chosen: Sequence[Message]) -> list[Message]:
        """The messages of answered turns, without answers that only quote memory."""
        return [
            naming(message, self.tables_of(message))
            for message in chosen
            if message.turn_number not in uncompacted.unanswered and not message.details.only_quotes
        ]
