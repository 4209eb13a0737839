"""Having a language model find facts, and taking only what it can prove."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from recollect.concurrency import off_loop
from recollect.domain.conversation.message import Message, Role, characters_in
from recollect.domain.facts.reading.prompting import (
    ANSWER_SCHEMA,
    INSTRUCTIONS,
    conversation_text,
    statements_from,
)
from recollect.domain.facts.statement import Statement
from recollect.errors import ModelUnavailable
from recollect.ports.facts import FactExtractor
from recollect.ports.models import ChatModel, JsonSchema, Prompt

_MAX_TOKENS: Final = 1_000
_TRIES: Final = (JsonSchema(name="facts", definition=ANSWER_SCHEMA), None)
"""The second time without a schema: some endpoints fail or stray when they are given one."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmFactExtractor:
    """A `FactExtractor` that asks a language model.

    Every fact needs a verbatim quote of a user's message, or it is dropped. If the model does not
    answer, or answers with no list twice, `fallback` reads the conversation.
    """

    model: ChatModel
    fallback: FactExtractor
    timeout: float = 60.0

    async def extract(
        self, messages: Sequence[Message], *, before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        """What the user's messages say about their user."""
        if not any(message.role is Role.USER for message in messages):
            return ()
        conversation = [*before, *messages]
        prompt = [
            Prompt(role="system", content=INSTRUCTIONS),
            Prompt(role="user", content=conversation_text(conversation)),
        ]
        own = {message.message_id for message in messages}
        for schema in _TRIES:
            try:
                answer = await self.model.complete(
                    prompt, max_tokens=_MAX_TOKENS, timeout=self.timeout, schema=schema
                )
                read = partial(statements_from, answer, conversation)
                characters = len(answer) + characters_in(conversation)
                statements = await off_loop(read, characters=characters)
                return tuple(one for one in statements if one.message_id in own)
            except (ModelUnavailable, ValueError, RecursionError) as error:
                facts = {"problem": type(error).__name__}
                logger.warning("facts.model_failed", extra={"facts": facts})
        return await self.fallback.extract(messages, before=before)
