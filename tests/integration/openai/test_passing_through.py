"""What memory has nothing to add to reaches the endpoint, and comes back, byte by byte."""

import json

import pytest

from recollect.domain.identity.accounts import KeyScope
from support.doubles.chat_endpoint import Reply
from support.http.callers import Caller
from support.servers.openai_proxy import NumberingDouble, Stage

PATH = "/v1/chat/completions"
ODD_BODY = (
    b'{"model":"m", "messages" :'
    b'[{"role":"user","content":"caf\\u00e9 \\ud800 \xc3\xa9","name":"x"}],'
    b' "stream":false,"temperature":0.10,"seed":9007199254740993,"vendor":{"deep":[1.0,null]}}'
)
EVENTS = (
    b": a comment\r\n\r\n"
    b'data: {"choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"hm"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"Go"},"logprobs":null}],"x":1}\n\n'
    b'data: {"choices":[{"index":1,"delta":{"content":"another choice"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"od."},"finish_reason":"stop"}]}\n\n'
    b'data: {"choices":[],"usage":{"total_tokens":5}}\n\ndata: [DONE]\n\n'
)


async def ada(stage: Stage) -> Caller:
    return (await stage.tenant.user("ada")).with_headers({"Content-Type": "application/json"})


@pytest.mark.parametrize("headers", [{}, {"X-Session-ID": "1", "X-Memory": "off"}])
async def test_without_memory_the_body_arrives_as_it_was_sent(
    stage: Stage, double: NumberingDouble, headers: dict[str, str]
) -> None:
    caller = await ada(stage)
    response = await caller.send("POST", PATH, content=ODD_BODY, headers=headers)
    assert (response.status_code, response.headers["X-Memory"]) == (200, "off")
    assert double.requests[0].sent == ODD_BODY
    assert "X-Session-ID" not in response.headers
    assert await stage.sessions("ada") == []


async def test_where_memory_adds_nothing_the_body_arrives_as_it_was_sent(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    await caller.send("POST", PATH, content=ODD_BODY, headers={"X-OpenWebUI-Chat-Id": "1"})
    assert double.requests[0].sent == ODD_BODY


async def test_where_memory_adds_something_everything_else_stays(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    for _ in range(2):
        await caller.send("POST", PATH, content=ODD_BODY, headers={"X-Session-ID": "1"})
    sent, own = double.requests[1].body, json.loads(ODD_BODY)
    assert sent["messages"][-1] == own["messages"][0]
    assert len(sent["messages"]) == 3
    assert {**sent, "messages": []} == {**own, "messages": []}


async def test_events_come_back_byte_by_byte(stage: Stage, double: NumberingDouble) -> None:
    caller = (await ada(stage)).with_headers({"X-Session-ID": "chat"})
    double.will(Reply(body=EVENTS, headers={"Content-Type": "text/event-stream"}))
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "How?"}]}
    response = await caller.post(PATH, body)
    assert response.content == EVENTS
    assert response.headers["Content-Type"] == "text/event-stream"
    session = response.headers["X-Session-ID"]
    assert await stage.stored_texts("ada", session) == [("user", "How?"), ("assistant", "Good.")]
    assert (await stage.messages("ada", session))[1]["tokens"] == 5


async def test_a_completion_comes_back_byte_by_byte(stage: Stage, double: NumberingDouble) -> None:
    caller = (await ada(stage)).with_headers({"X-Session-ID": "chat"})
    completion = b'{"choices" : [{"message":{"content":"<think>hm</think>\\n Good. "}}], "y": 1.0}'
    double.will(Reply(body=completion, headers={"X-Request-Id": "r-1", "Set-Cookie": "a=b"}))
    body = {"model": "m", "messages": [{"role": "user", "content": "How?"}]}
    response = await caller.post(PATH, body)
    assert response.content == completion
    assert response.headers["X-Request-Id"] == "r-1"
    assert "Set-Cookie" not in response.headers
    messages = await stage.stored_texts("ada", response.headers["X-Session-ID"])
    assert messages == [("user", "How?"), ("assistant", "Good.")]


async def test_the_clients_key_and_headers_stay_here(stage: Stage, double: NumberingDouble) -> None:
    key = await stage.tenant.key(KeyScope.USER, user="ada")
    caller = stage.tenant.holding(key).with_headers({"X-Session-ID": "1", "Cookie": "c=1"})
    double.will(Reply(headers={"Set-Cookie": "of=the-endpoint"}))
    for _ in range(2):
        await caller.post(PATH, {"messages": [{"role": "user", "content": "Hello?"}]})
    await caller.get("/v1/models")
    for request in double.requests:
        assert request.headers["authorization"] == "Bearer upstream-key"
        assert key not in str(request.headers)
        assert not {"x-session-id", "cookie"} & set(request.headers)


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{", None),
        (b"[]", None),
        (b'{"messages": "x"}', None),
        (b'{"messages": []}', None),
        (b'{"messages": [1]}', None),
        (b'{"messages": [{"role": "user", "content": "x"}], "stream": "yes"}', None),
    ],
)
async def test_an_invalid_request_is_refused_in_openais_form(
    stage: Stage, double: NumberingDouble, body: bytes, param: None
) -> None:
    response = await (await ada(stage)).send("POST", PATH, content=body)
    assert response.status_code == 422
    error = response.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert error["message"]
    assert double.requests == []


async def test_a_wrong_header_is_refused_in_openais_form(
    stage: Stage, double: NumberingDouble
) -> None:
    question = {"messages": [{"role": "user", "content": "Hello?"}]}
    caller = await ada(stage)
    for name, value in (
        ("X-Memory", "sometimes"),
        ("X-Session-ID", "\u0080"),
        ("X-Session-ID", "x" * 256),
    ):
        response = await caller.post(PATH, question, {name: value})
        assert response.status_code == 422
        assert response.json()["error"]["param"]
    assert (await stage.tenant.server.post(PATH, question)).json()["error"]["type"] == (
        "authentication_error"
    )
    for method, path in (("GET", "/v1/nothing"), ("PUT", "/v1/models"), ("GET", PATH)):
        refused = await caller.send(method, path)
        assert refused.status_code in {404, 405}
        assert method in refused.json()["error"]["message"]
    assert double.requests == []
