"""A chat front end that calls as OpenWebUI does, in either style of its headers.

It shows one branch and sends all of it with each question, with no ids in the body; before and
after that it asks for titles, suggestions and tags under the same chat id.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import uuid4

import httpx

from support.doubles.chat_endpoint import Reply
from support.http.callers import Caller, Json
from support.servers.openai_proxy import streamed_text

Style = Literal["forwarded", "templates"]
STYLES: Final[tuple[Style, ...]] = ("forwarded", "templates")
TOOL: Final[Json] = {
    "type": "function",
    "function": {
        "name": "get_time",
        "description": "Tell the time.",
        "parameters": {"type": "object", "properties": {}},
    },
}
CALL: Final[Json] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
    ],
}

_TOOL_CALL: Final = json.dumps(
    {
        "choices": [
            {
                "index": 0,
                "delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function"}]},
                "finish_reason": "tool_calls",
            }
        ]
    }
)
CALLS_A_TOOL: Final = Reply(
    body=f"data: {_TOOL_CALL}\n\ndata: [DONE]\n\n".encode(),
    headers={"Content-Type": "text/event-stream"},
)


def rag_prompt(question: str, documents: Sequence[str]) -> str:
    """A question with passages of documents, in the form that versions 0.6.40 to 0.12 send."""
    sources = "\n".join(
        f'<source id="{number}" name="file-{number}.txt" resource-type="file">{text}</source>'
        for number, text in enumerate(documents, start=1)
    )
    return (
        "### Task:\nRespond to the user query using the provided context, incorporating inline "
        "citations in the format [id].\n\n### Guidelines:\n- Do not use XML tags in your response."
        "\n\n### Output:\nProvide a clear and direct response to the user's query.\n\n"
        f"<context>\n{sources}\n</context>\n\n{question}"
    )


@dataclass(kw_only=True)
class OpenWebUI:
    """One chat of one user of the front end."""

    server: Caller
    style: Style
    user: str = field(default_factory=lambda: str(uuid4()))
    chat_id: str = field(default_factory=lambda: str(uuid4()))
    shown: list[Json] = field(default_factory=list)
    system: str | None = None
    _question_id: str = ""

    async def models(self) -> httpx.Response:
        """Ask which models there are, outside any chat."""
        return await self.server.send("GET", "/v1/models", headers=self._headers(chat_id=""))

    async def ask(self, text: str, *, documents: Sequence[str] = ()) -> str:
        """Ask under what is shown; the answer is shown then.

        With documents the question goes out as a prompt that has them in it, and is shown plain.
        """
        self._question_id = str(uuid4())
        sent = rag_prompt(text, documents) if documents else text
        answer = await self._send([*self.shown, {"role": "user", "content": sent}])
        self.shown[self._last_question()] = {"role": "user", "content": text}
        return answer

    async def regenerate(self) -> str:
        """Ask the last question again."""
        return await self._send(self.shown[: self._last_question() + 1])

    async def edit(self, text: str, *, turn: int) -> str:
        """Ask something else in the place of a question."""
        self._question_id = str(uuid4())
        places = [i for i, message in enumerate(self.shown) if message["role"] == "user"]
        return await self._send([*self.shown[: places[turn]], {"role": "user", "content": text}])

    async def use_tool(self, said: str) -> str:
        """Go on in the same turn, after a tool that the model called has answered."""
        result = {"role": "tool", "tool_call_id": "call_1", "content": said}
        return await self._send([*self.shown, result])

    async def task(self, name: str, wanted: str) -> None:
        """Ask for a title or the like, which is work of the front end's own."""
        history = "\n".join(f"{m['role'].upper()}: {m['content']}" for m in self.shown)
        prompt = (
            f"### Task:\nGenerate {wanted} for the chat.\n### Output:\nJSON\n"
            f"### Chat History:\n<chat_history>\n{history}\n</chat_history>"
        )
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": prompt}],
            "stream": False,
        }
        headers = self._headers(task=name)
        response = await self.server.post("/v1/chat/completions", body, headers)
        assert response.status_code == 200, response.text

    async def _send(self, messages: list[Json]) -> str:
        first = [{"role": "system", "content": self.system}] if self.system else []
        body = {"stream": True, "model": "m", "messages": first + messages, "tools": [TOOL]}
        headers = self._headers(message_id=str(uuid4()))
        response = await self.server.post("/v1/chat/completions", body, headers)
        assert response.status_code == 200, response.text
        text = streamed_text(response.content)
        answer = {"role": "assistant", "content": text} if text else CALL
        self.shown = [*messages, answer]
        return text

    def _last_question(self) -> int:
        return max(i for i, message in enumerate(self.shown) if message["role"] == "user")

    def _headers(
        self, *, message_id: str = "", task: str = "", chat_id: str | None = None
    ) -> dict[str, str]:
        chat_id = self.chat_id if chat_id is None else chat_id
        if self.style == "templates":
            return {
                "X-Session-ID": chat_id,
                "X-Memory-User": self.user,
                "X-Memory-Message-ID": message_id,
                "X-Memory-User-Message-ID": self._question_id if chat_id else "",
                "X-Memory-Parent-ID": "",
                "X-Memory-Task": task,
            }
        told = {
            "X-OpenWebUI-User-Name": "User",
            "X-OpenWebUI-User-Id": self.user,
            "X-OpenWebUI-User-Email": "user@example.com",
            "X-OpenWebUI-User-Role": "user",
        }
        return told | ({"X-OpenWebUI-Chat-Id": chat_id} if chat_id else {})
