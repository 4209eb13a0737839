"""Answers by any language model behind an OpenAI-compatible endpoint."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from recollect.concurrency import off_loop
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.conversation.message import AnswerDetails
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import ContextForm
from recollect.domain.text import storable
from recollect.ports.models import AnsweringModel, Completion, Prompt, Sampling

_MAX_NAME = 1000


@dataclass(frozen=True, slots=True)
class LlmAnswerer:
    """Implements `recollect.ports.models.Answerer` with a chat model.

    The form says how the conversation so far reaches the model: as messages, or as a block of
    the system prompt. Of the request's options it knows `llm_temperature`, `llm_max_tokens` and
    `custom_instructions`.
    """

    model: AnsweringModel
    form: ContextForm
    timeout: float
    system_prompt: str | None = None

    async def answer(self, scope: Scope, request: AnswerRequest) -> Answer:  # noqa: ARG002  # the port's
        """The model's answer, all at once."""
        prompt = await self._prompt(request)
        model, sampling = self._model_for(request), _sampling(request)
        return _answer(await model.reply(prompt, sampling, timeout=self.timeout))

    async def stream(
        self,
        scope: Scope,  # noqa: ARG002  # the port's
        request: AnswerRequest,
    ) -> AsyncGenerator[str | Answer, None]:
        """The model's answer in pieces."""
        prompt = await self._prompt(request)
        model, sampling = self._model_for(request), _sampling(request)
        async with aclosing(model.stream(prompt, sampling, timeout=self.timeout)) as pieces:
            async for piece in pieces:
                yield _answer(piece) if isinstance(piece, Completion) else piece

    def _model_for(self, request: AnswerRequest) -> AnsweringModel:
        return self.model.named(request.model) if request.model else self.model

    async def _prompt(self, request: AnswerRequest) -> list[Prompt]:
        characters = request.context.characters
        return await off_loop(partial(self._rendered, request), characters=characters)

    def _rendered(self, request: AnswerRequest) -> list[Prompt]:
        """What never changes, what the request adds, and the conversation, in this order."""
        context = request.context
        custom = request.options.get("custom_instructions")
        system = [self.system_prompt or "", custom if isinstance(custom, str) else ""]
        match self.form:
            case ContextForm.SYSTEM_PROMPT:
                system.append(context.conversation_block(language=context.language))
                conversation = [Prompt(role="user", content=context.question_with_meaning)]
            case ContextForm.INSTRUCTIONS:
                system.append(context.instructions())
                conversation = [Prompt(role="user", content=context.question_with_meaning)]
            case _:
                conversation = [Prompt(**message) for message in context.messages()]
        text = "\n\n".join(part for part in system if part.strip())
        return [Prompt(role="system", content=text), *conversation] if text else conversation


def _sampling(request: AnswerRequest) -> Sampling:
    temperature = request.options.get("llm_temperature")
    max_tokens = request.options.get("llm_max_tokens")
    return Sampling(
        temperature=temperature if isinstance(temperature, int | float) else None,
        max_tokens=max_tokens if isinstance(max_tokens, int) else None,
    )


def _answer(completion: Completion) -> Answer:
    details = AnswerDetails(model=storable(completion.model)[:_MAX_NAME], tokens=completion.tokens)
    return Answer(content=completion.text, details=details)
