"""What clients are told when the endpoint fails: in OpenAI's form, and never a traceback."""

import json
import logging

import pytest

from support.doubles.chat_endpoint import Reply
from support.http.callers import Caller, Json
from support.servers.openai_proxy import NumberingDouble, Stage

PATH = "/v1/chat/completions"
SESSION = "6fa459ea-ee8a-4ca4-894e-db77e160355e"
TRACEBACK = 'Traceback (most recent call last):\n  File "/srv/secret.py", line 7\nKeyError: "kiwi"'
TOO_LONG = {
    "message": "This model's maximum context length is 4096 tokens.",
    "type": "invalid_request_error",
    "param": "messages",
    "code": "context_length_exceeded",
}


def question(*, stream: bool = False) -> Json:
    return {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "Hello?"}]}


def enveloped(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "t", "code": 500}}).encode()


async def ada(stage: Stage) -> Caller:
    return (await stage.tenant.user("ada")).with_headers({"X-Session-ID": SESSION})


def assert_in_openais_form(error: Json) -> None:
    assert sorted(error) == ["code", "message", "param", "type"]
    assert error["message"]
    assert error["type"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "body", "passed"),
    [
        (500, TRACEBACK.encode(), 500),
        (500, enveloped(TRACEBACK), 500),
        (503, enveloped("kiwi"), 503),
        (400, enveloped(TRACEBACK), 400),
        (400, TRACEBACK.encode(), 400),
        (404, b"<html>kiwi</html>", 404),
        (422, b'{"detail": "kiwi"}', 422),
        (400, b'{"error": "kiwi"}', 400),
        (307, b"kiwi", 502),
        (200, TRACEBACK.encode(), 502),
        (200, enveloped("kiwi"), 502),
        (500, b"kiwi" * 1_000_000, 500),
    ],
)
async def test_endpoint_failures_are_reported_without_the_endpoints_text(
    stage: Stage,
    double: NumberingDouble,
    caplog: pytest.LogCaptureFixture,
    status: int,
    body: bytes,
    passed: int,
    *,
    stream: bool,
) -> None:
    caplog.set_level(logging.DEBUG, logger="recollect")
    double.will(Reply(status=status, body=body))
    response = await (await ada(stage)).post(PATH, question(stream=stream))
    assert response.status_code == passed
    assert_in_openais_form(response.json()["error"])
    assert not any(word in response.text for word in ("kiwi", "Traceback", "secret"))
    assert await stage.statuses("ada", SESSION) == ["failed"]
    quoting = [record for record in caplog.records if "kiwi" in str(record.__dict__)]
    assert {record.levelno for record in quoting} == {logging.DEBUG}


@pytest.mark.parametrize("stream", [False, True])
async def test_endpoint_errors_about_the_request_reach_the_client(
    stage: Stage, double: NumberingDouble, *, stream: bool
) -> None:
    body = json.dumps({"error": {**TOO_LONG, "stack": TRACEBACK}, "more": TRACEBACK}).encode()
    double.will(Reply(status=400, body=body))
    response = await (await ada(stage)).post(PATH, question(stream=stream))
    assert response.status_code == 400
    assert response.json() == {"error": TOO_LONG}
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "event",
    [
        b"data: " + enveloped(TRACEBACK) + b"\n\n",
        b"event: error\r\ndata: " + enveloped("kiwi") + b"\r\n\r\n",
        b"data: " + TRACEBACK.splitlines()[1].encode() + b"\n\n",
    ],
)
async def test_endpoint_failures_during_a_stream_are_reported_without_the_endpoints_text(
    stage: Stage, double: NumberingDouble, event: bytes
) -> None:
    start = b'data: {"choices":[{"index":0,"delta":{"content":"Go"}}]}\n\n'
    events = start + event + TRACEBACK.encode() + b"\n\n"
    double.will(Reply(body=events, headers={"Content-Type": "text/event-stream"}))
    response = await (await ada(stage)).post(PATH, question(stream=True))
    assert response.content.startswith(start)
    assert not any(word in response.text for word in ("kiwi", "Traceback", "secret"))
    (told,) = [line for line in response.text.splitlines() if '"error"' in line]
    assert_in_openais_form(json.loads(told.removeprefix("data: "))["error"])
    assert await stage.statuses("ada", SESSION) == ["failed"]


async def test_endpoint_errors_about_the_request_reach_the_client_of_a_stream(
    stage: Stage, double: NumberingDouble
) -> None:
    error = {**TOO_LONG, "code": 400}
    event = b"data: " + json.dumps({"error": error}).encode() + b"\n\n"
    double.will(Reply(body=event, headers={"Content-Type": "text/event-stream"}))
    response = await (await ada(stage)).post(PATH, question(stream=True))
    assert json.loads(response.text.removeprefix("data: ")) == {"error": error}


async def test_a_page_in_place_of_a_stream_is_an_error_event(
    stage: Stage, double: NumberingDouble
) -> None:
    double.will(Reply(body=b"<html>\nkiwi\n</html>", headers={"Content-Type": "text/html"}))
    response = await (await ada(stage)).post(PATH, question(stream=True))
    assert_in_openais_form(json.loads(response.text.removeprefix("data: "))["error"])
    assert "kiwi" not in response.text


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/m"])
@pytest.mark.parametrize(
    ("status", "body", "passed"), [(500, TRACEBACK.encode(), 500), (200, b"kiwi", 502)]
)
async def test_failures_of_listing_models_are_reported_without_the_endpoints_text(
    stage: Stage, double: NumberingDouble, path: str, status: int, body: bytes, passed: int
) -> None:
    double.will(Reply(status=status, models=body))
    response = await (await ada(stage)).get(path)
    assert response.status_code == passed
    assert_in_openais_form(response.json()["error"])
    assert not any(word in response.text for word in ("kiwi", "Traceback", "secret"))


async def test_one_model_can_be_asked_for_by_its_id(stage: Stage, double: NumberingDouble) -> None:
    listed = [{"id": name, "object": "model"} for name in ("m", "org/model", "org/model:7b")]
    listing = json.dumps({"object": "list", "data": listed}).encode()
    caller = await ada(stage)
    for path, model in zip(("m", "org/model", "org%2Fmodel:7b"), listed, strict=True):
        double.will(Reply(models=listing))
        response = await caller.get(f"/v1/models/{path}")
        assert (response.status_code, response.json()) == (200, model)
    double.will(Reply(models=listing))
    unknown = await caller.get("/v1/models/kiwi")
    assert unknown.status_code == 404
    error = unknown.json()["error"]
    assert (error["code"], error["param"]) == ("model_not_found", "model")
    assert "kiwi" not in unknown.text
