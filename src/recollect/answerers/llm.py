"""Answers by any language model behind an OpenAI-compatible endpoint."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from functools import partial

from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.context.context import Context
from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import ContextForm
from recollect.domain.text import storable
from recollect.offloading import off_loop
from recollect.ports.models import AnsweringModel, Completion, Prompt, Sampling

_MAX_NAME = 1000


class LlmAnswerer:
    """Implements `recollect.ports.models.Answerer` with a chat model.

    The form says how the conversation so far reaches the model: as messages, or as a block of
    the system prompt. Of the request's options it knows `llm_temperature`, `llm_max_tokens` and
    `custom_instructions`.
    """

    def __init__(
        self,
        model: AnsweringModel,
        *,
        form: ContextForm,
        system_prompt: str | None = None,
        timeout: float,
    ) -> None:
        self._model = model
        self._form = form
        self._system_prompt = system_prompt
        self._timeout = timeout

    async def answer(self, scope: Scope, asked: AnswerRequest) -> Answer:  # noqa: ARG002  # the port's
        """The model's answer, all at once."""
        prompt = await self._rendered(asked)
        completion = await self._named(asked).reply(prompt, _sampling(asked), timeout=self._timeout)
        return _answer(completion)

    async def stream(
        self,
        scope: Scope,  # noqa: ARG002  # the port's
        asked: AnswerRequest,
    ) -> AsyncGenerator[str | Answer, None]:
        """The model's answer as it speaks."""
        prompt = await self._rendered(asked)
        said = self._named(asked).stream(prompt, _sampling(asked), timeout=self._timeout)
        async with aclosing(said) as pieces:
            async for piece in pieces:
                yield _answer(piece) if isinstance(piece, Completion) else piece

    def _named(self, asked: AnswerRequest) -> AnsweringModel:
        return self._model.named(asked.model) if asked.model else self._model

    async def _rendered(self, asked: AnswerRequest) -> list[Prompt]:
        return await off_loop(partial(self._prompt, asked), characters=asked.context.characters)

    def _prompt(self, asked: AnswerRequest) -> list[Prompt]:
        system = "\n\n".join(self._system(asked))
        first = [Prompt(role="system", content=system)] if system else []
        return [*first, *self._conversation(asked.context)]

    def _system(self, asked: AnswerRequest) -> Iterator[str]:
        """What the model is told first: what never changes, then what this request adds."""
        if self._system_prompt:
            yield self._system_prompt
        custom = asked.options.get("custom_instructions")
        if isinstance(custom, str) and custom.strip():
            yield custom
        if block := self._block(asked.context):
            yield block

    def _block(self, context: Context) -> str:
        match self._form:
            case ContextForm.SYSTEM_PROMPT:
                return context.conversation_block(language=context.language)
            case ContextForm.INSTRUCTIONS:
                return context.instructions()
            case _:
                return ""

    def _conversation(self, context: Context) -> list[Prompt]:
        if self._form in {ContextForm.SYSTEM_PROMPT, ContextForm.INSTRUCTIONS}:
            return [Prompt(role="user", content=context.question)]
        return [Prompt(**message) for message in context.messages()]


def _sampling(asked: AnswerRequest) -> Sampling:
    temperature = asked.options.get("llm_temperature")
    max_tokens = asked.options.get("llm_max_tokens")
    return Sampling(
        temperature=temperature if isinstance(temperature, int | float) else None,
        max_tokens=max_tokens if isinstance(max_tokens, int) else None,
    )


def _answer(completion: Completion) -> Answer:
    details = AnswerDetails(model=storable(completion.model)[:_MAX_NAME], tokens=completion.tokens)
    return Answer(content=completion.text, details=details)
