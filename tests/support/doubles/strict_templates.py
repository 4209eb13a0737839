"""An endpoint whose chat template refuses what those of Mistral, Qwen and Gemma refuse."""

import json
from asyncio import StreamWriter
from collections.abc import Sequence
from typing import Any

from recollect.domain.model_names import ChatTemplate
from support.doubles.chat_endpoint import Received, Reply
from support.servers.openai_proxy import NumberingDouble


class TemplateError(Exception):
    """What a template raises."""


def check_template(messages: Sequence[Any], template: ChatTemplate) -> None:
    """Refuse messages as the official templates do."""
    roles = [message["role"] for message in messages]
    if template is ChatTemplate.NO_SYSTEM and {"system", "developer"} & set(roles):
        raise TemplateError("System role not supported")
    if {"system", "developer"} & set(roles[1:]):
        raise TemplateError("System message must be at the beginning.")
    if template is ChatTemplate.PLAIN:
        return
    turns = [
        message["role"]
        for message in messages
        if message["role"] in {"user", "assistant"} and not message.get("tool_calls")
    ]
    if turns != (["user", "assistant"] * len(turns))[: len(turns)]:
        raise TemplateError("conversation roles must alternate user/assistant/user/assistant/...")


class StrictDouble(NumberingDouble):
    """Answers what its template accepts, and everything else with 400, as llama.cpp does."""

    def __init__(self, template: ChatTemplate) -> None:
        super().__init__()
        self.template = template

    async def _reply(self, request: Received, writer: StreamWriter) -> bool:
        try:
            check_template(request.body.get("messages", []), self.template)
        except TemplateError as refused:
            error = {"code": 400, "message": str(refused), "type": "invalid_request_error"}
            self._next.appendleft(Reply(status=400, body=json.dumps({"error": error}).encode()))
        return await super()._reply(request, writer)
