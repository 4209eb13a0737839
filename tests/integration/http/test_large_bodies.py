import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import urlsplit

import pytest

from support.http.bad_requests import (
    EXCHANGES,
    MESSAGES,
    SESSION,
    SESSIONS,
    Bystander,
    assert_refused,
)
from support.http.callers import Caller
from support.tables import for_each
from support.timeouts import PATIENCE

TEN_MEGABYTES: Final = 10_000_000
WITH_BODY: Final = [("POST", SESSIONS), ("PATCH", SESSION), ("POST", MESSAGES), ("POST", EXCHANGES)]


def large_message(size: int) -> bytes:
    return json.dumps({"role": "user", "content": "Hello", "metadata": {"x": "x" * size}}).encode()


async def in_chunks(body: bytes, size: int = 65_536) -> AsyncIterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
async def test_a_body_of_ten_megabytes_is_refused(
    bystander: Bystander, method: str, path: str
) -> None:
    response = await bystander.send_raw(method, path, large_message(TEN_MEGABYTES))

    assert_refused(response, 422)
    assert "MEMORY_MAX_BODY_BYTES" in response.json()["detail"]


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
async def test_a_body_of_unknown_length_is_refused_as_soon_as_it_is_too_large(
    bystander: Bystander, method: str, path: str
) -> None:
    caller = bystander.caller
    path = path.replace("{session_id}", bystander.session_id)

    response = await caller.client.request(
        method,
        caller.url + path,
        content=in_chunks(large_message(TEN_MEGABYTES)),
        headers={**caller.headers, "Content-Type": "application/json"},
    )

    assert_refused(response, 422)


@for_each(("method", "path"), WITH_BODY)
async def test_a_compressed_body_is_refused_and_the_refusal_says_so(
    bystander: Bystander, method: str, path: str
) -> None:
    caller = bystander.caller
    path = path.replace("{session_id}", bystander.session_id)

    response = await caller.client.request(
        method,
        caller.url + path,
        content=gzip.compress(large_message(10)),
        headers={
            **caller.headers,
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
        },
    )

    assert_refused(response, 415)
    assert "Content-Encoding" in response.json()["detail"]


async def test_the_server_goes_on_after_a_large_body(bystander: Bystander) -> None:
    for _ in range(3):
        await bystander.send_raw("POST", MESSAGES, large_message(TEN_MEGABYTES))
        assert (await bystander.send("GET", SESSION)).status_code == 200


async def test_a_large_body_is_refused_before_it_is_sent(bystander: Bystander) -> None:
    """The length alone is enough: nobody needs to read ten megabytes to say no."""
    url = urlsplit(bystander.caller.url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    writer.write(
        f"POST {SESSIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {TEN_MEGABYTES}\r\n"
        "Content-Type: application/json\r\n\r\n".encode()
    )

    status = await asyncio.wait_for(reader.readline(), timeout=PATIENCE)

    assert b" 422 " in status
    writer.close()
    await writer.wait_closed()


async def test_a_message_of_the_largest_size_is_taken(alice: Caller) -> None:
    session = await alice.start_session()

    message = await alice.add(session, "ü" * 1_000_000, metadata={"x": "x" * 5_000_000})

    assert await alice.messages(session) == [message]


async def test_a_client_that_leaves_in_the_middle_of_its_body_stores_nothing(
    bystander: Bystander,
) -> None:
    url = urlsplit(bystander.caller.url)
    path = MESSAGES.replace("{session_id}", bystander.session_id)
    body = json.dumps({"role": "user", "content": "Hello"}).encode()
    _, writer = await asyncio.open_connection(url.hostname, url.port)
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body) + 1}\r\n"
        f"Authorization: {bystander.caller.headers['Authorization']}\r\n"
        "Content-Type: application/json\r\n\r\n".encode()
        + body
    )
    await writer.drain()
    writer.close()
    await writer.wait_closed()

    assert (await bystander.send("GET", SESSION)).status_code == 200


@for_each(("method", "path"), WITH_BODY)
@for_each("value", ["1", '"x"', "[]", "{}", '{"a":[]}'])
async def test_a_body_of_too_many_values_is_refused(
    bystander: Bystander, method: str, path: str, value: str
) -> None:
    values = ",".join([value] * 110_000)
    body = f'{{"role": "user", "content": "Hello", "metadata": {{"x": [{values}]}}}}'

    response = await bystander.send_raw(method, path, body.encode())

    assert_refused(response, 422)
    assert "50,000 values" in response.json()["detail"]


@pytest.mark.parametrize("character", [",", "[", "{", '"', "\\", '\\"'])
async def test_a_text_of_a_hundred_thousand_marks_is_one_value(
    alice: Caller, character: str
) -> None:
    session = await alice.start_session()
    text = character * 150_000
    stored = await alice.add(session, text, metadata={"x": text})
    assert stored["content"] == text
    assert stored["metadata"] == {"x": text}


async def test_a_large_page_is_written_as_a_small_one(alice: Caller) -> None:
    session = await alice.start_session()
    sent = [f"{number} {'é' * 300_000}" for number in range(3)]
    for text in sent:
        await alice.add(session, text)
    path = f"/api/v1/sessions/{session['session_id']}/messages"
    whole = (await alice.get(path, order="asc")).json()
    first = (await alice.get(path, order="asc", limit=2)).json()
    assert [message["content"] for message in whole["items"]] == sent
    assert whole["next_cursor"] is None
    assert whole["items"][:2] == first["items"]
    assert first["next_cursor"]
    small = await alice.start_session()
    await alice.add(small, "Hello")
    listed = await alice.get(f"/api/v1/sessions/{small['session_id']}/messages")
    assert whole["items"][0].keys() == listed.json()["items"][0].keys()


async def test_large_json_comes_back_as_it_was_stored(alice: Caller) -> None:
    metadata = {"list": [0] * 10_000, "members": {str(number): [{}] for number in range(2_000)}}
    session = await alice.start_session(metadata=metadata, databases=["sales"])
    details = {
        "sql_query": "SELECT 1",
        "execution_result": {"columns": [f"c{n}" for n in range(900)], "row_count": 5_000},
        "citations": [{"page": number} for number in range(900)],
    }
    question = await alice.add(session, "How many?")
    stored = await alice.add(session, "42", role="assistant", metadata=metadata, **details)
    assert stored["metadata"] == metadata
    assert {name: stored[name] for name in details} == details
    assert stored["database"] == "sales"
    assert await alice.messages(session) == [stored, question]
    path = f"/api/v1/sessions/{session['session_id']}"
    assert (await alice.get(path)).json()["metadata"] == metadata
    context = await alice.post(f"{path}/context", {"question": "And now?"})
    assert context.json()["window"] == [question, stored]


async def test_metadata_that_is_no_object_is_refused(bystander: Bystander) -> None:
    for method, path, body in (
        ("POST", MESSAGES, {"role": "user", "content": "Hello"}),
        ("POST", SESSIONS, {}),
        ("PATCH", SESSION, {}),
    ):
        for value in ([], "text", 1):
            sent = json.dumps({**body, "metadata": value}).encode()
            assert_refused(await bystander.send_raw(method, path, sent), 422)


@for_each("encoding", ["utf-16", "utf-16-le", "utf-32-be"])
async def test_a_body_in_another_encoding_is_refused(bystander: Bystander, encoding: str) -> None:
    body = json.dumps({"role": "user", "content": 'Say "Hi"'}).encode(encoding)
    response = await bystander.send_raw("POST", MESSAGES, body)
    assert_refused(response, 422)
