"""Follow-up questions understood: by rules, and by a model where there is one able enough."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from recollect.domain.followup.dialogue import Method, Rewrite, Said
from recollect.domain.followup.validation import clean_reply, is_faithful
from recollect.domain.message import Role
from recollect.errors import ModelUnavailable
from recollect.ports.models import ChatModel, Prompt
from recollect.services.ready_rewriter import ReadyRewriter

_MAX_TOKENS: Final = 200
_TOLD_MESSAGES: Final = 6
_TOLD_LENGTH: Final = 500  # characters of each message
_MODEL_CONFIDENCE: Final = 0.85

_TASK: Final = (
    "Rewrite the last question so that it can be understood without the conversation. Replace what"
    " points back by what it stands for, keep every other word and the language, do not answer."
    " Reply with the rewritten question only."
)
_EXAMPLES: Final = (
    (
        (
            "user: Show me total sales by region for 2024\n"
            "assistant: North 2.4M, South 1.9M\n"
            "Last question: What about 2023?"
        ),
        "Show me total sales by region for 2023",
    ),
    (
        (
            "user: Wat zijn de vereisten voor valbeveiliging?\n"
            "assistant: Er gelden drie vereisten.\n"
            "Last question: Welke producten heb je daarvoor?"
        ),
        "Welke producten heb je voor valbeveiliging?",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """Makes questions standalone; without a model, or with a small one, by rules alone.

    Small models answer the question instead of rewriting it, so only those from
    `model_from_billions` parameters up are asked.
    """

    rules: ReadyRewriter = field(default_factory=ReadyRewriter)
    model: ChatModel | None = None
    model_from_billions: float = 14
    time_limit: float = 5.0

    async def rewrite(
        self,
        question: str,
        history: Sequence[Said],
        *,
        language: str | None = None,
        model_billions: float | None = None,
    ) -> Rewrite:
        """Say a question so that it needs no history; a standalone one comes back unchanged."""
        by_rules = await self.rules.rewrite(question, history, language=language)
        if not by_rules.is_follow_up or not self._is_able(model_billions):
            return by_rules
        said = await self._ask_model(question, history)
        if not is_faithful(said, question, history, language=by_rules.language):
            return by_rules
        return replace(
            by_rules,
            standalone_question=said,
            method=Method.LLM,
            confidence=_MODEL_CONFIDENCE,
        )

    def _is_able(self, model_billions: float | None) -> bool:
        is_large = model_billions is not None and model_billions >= self.model_from_billions
        return self.model is not None and is_large

    async def _ask_model(self, question: str, history: Sequence[Said]) -> str:
        """What the model makes of the question; nothing if it does not answer in time."""
        if self.model is None:
            return ""
        try:
            async with asyncio.timeout(self.time_limit):
                reply = await self.model.complete(
                    _prompt(question, history), max_tokens=_MAX_TOKENS, timeout=self.time_limit
                )
        except (ModelUnavailable, TimeoutError):
            return ""
        return clean_reply(reply)


def _prompt(question: str, history: Sequence[Said]) -> tuple[Prompt, ...]:
    examples = (
        Prompt(role=role, content=content)
        for asked, answered in _EXAMPLES
        for role, content in ((Role.USER, asked), (Role.ASSISTANT, answered))
    )
    told = (f"{said.role}: {said.content[:_TOLD_LENGTH]}" for said in history[-_TOLD_MESSAGES:])
    task = "\n".join((*told, f"Last question: {question}"))
    return (
        Prompt(role=Role.SYSTEM, content=_TASK),
        *examples,
        Prompt(role=Role.USER, content=task),
    )
