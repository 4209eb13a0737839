"""What a client may send before it is a request, and how long it may take."""

import asyncio
import itertools
import json
from contextlib import AsyncExitStack

import psutil
import pytest

from support.http.raw_connections import Connection, Response, connected, head
from support.servers.http_servers import ServerProgram

MEGABYTE = 1_000_000
GET = head("GET", "/healthz")


def assert_refused(response: Response, status: int) -> None:
    assert response.status == status
    assert response.headers["connection"] == "close"
    assert response.headers["x-transaction-id"]
    body = response.json()
    assert sorted(body) == ["detail", "error"]
    assert body["detail"]


async def refusal_of(server: ServerProgram, *parts: bytes) -> Response:
    """The response to what is no whole request; the connection ends with it, and in order."""
    async with connected(server.url) as connection:
        for part in parts:
            await connection.send(part)
        response = await connection.response()
        assert await connection.rest() == b""
        return response


@pytest.mark.parametrize("megabytes", [1, 100])
async def test_a_head_that_does_not_end_is_refused_before_it_is_read(
    impatient: ServerProgram, megabytes: int
) -> None:
    process = psutil.Process(impatient.pid)
    before = process.memory_info().rss
    sent = 0
    async with connected(impatient.url) as connection:
        await connection.send(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ")
        while sent < megabytes and connection.reader._buffer == b"":  # type: ignore[attr-defined]
            await connection.send(b"a" * MEGABYTE)
            sent += 1
        response = await connection.response()
        assert_refused(response, 431)
        assert "MEMORY_MAX_HEADER_BYTES" in response.json()["detail"]
    assert process.memory_info().rss - before < 50 * MEGABYTE


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (head("GET", "/healthz", X_Long="a" * 21_000), 431),
        (head("GET", "/healthz", **{f"X-{number}": "1" for number in range(40)}), 431),
        (head("GET", "/healthz?" + "a" * 9_000), 414),
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET http://[ HTTP/1.1\r\n\r\n", 400),
    ],
)
async def test_request_headers_beyond_a_limit_are_refused(
    impatient: ServerProgram, request_head: bytes, status: int
) -> None:
    assert_refused(await refusal_of(impatient, request_head), status)


async def test_a_connection_limit_error_under_v1_has_openais_form(impatient: ServerProgram) -> None:
    response = await refusal_of(impatient, head("GET", "/v1/models", X_Long="a" * 21_000))
    assert response.status == 431
    assert response.json()["error"]["type"] == "invalid_request_error"


async def test_trailers_and_chunk_extensions_of_a_body_are_limited_too(
    impatient: ServerProgram,
) -> None:
    begun = head("POST", "/api/v1/sessions", Transfer_Encoding="chunked")
    for part in (b"2\r\n{}\r\n0\r\nX-Trailer: ", b"2;"):
        async with connected(impatient.url) as connection:
            await connection.send(begun + part)
            while not connection.reader._buffer:  # type: ignore[attr-defined]
                await connection.send(b"a" * 1_000)
                await asyncio.sleep(0.01)  # lets the server read it, and its answer come in
            assert_refused(await connection.response(), 431)


async def test_a_head_that_takes_too_long_gets_408(impatient: ServerProgram) -> None:
    assert_refused(await refusal_of(impatient, b"GET /healthz HT"), 408)


async def test_a_body_that_takes_too_long_gets_408_and_stores_nothing(
    impatient: ServerProgram,
) -> None:
    begun = head("POST", "/api/v1/sessions", body=b"{}")
    assert_refused(await refusal_of(impatient, begun, b"{"), 408)


async def test_a_connection_on_which_nothing_comes_is_closed(impatient: ServerProgram) -> None:
    async with connected(impatient.url) as connection:
        assert await connection.rest() == b""
    async with connected(impatient.url) as connection:
        assert (await connection.request("GET", "/healthz")).status == 200
        assert await connection.rest() == b"", "idle for too long"


async def test_requests_sent_at_once_are_answered_in_order_before_a_bad_one_ends_them(
    impatient: ServerProgram,
) -> None:
    async with connected(impatient.url) as connection:
        await connection.send(GET + head("GET", "/nothing") + b"NONSENSE\r\n\r\n")
        assert (await connection.response()).status == 200
        assert (await connection.response()).status == 404
        assert await connection.rest() == b""


async def test_a_client_that_wants_another_protocol_is_answered_in_this_one(
    impatient: ServerProgram,
) -> None:
    async with connected(impatient.url) as connection:
        for protocol in ("h2c", "websocket"):
            response = await connection.request(
                "GET", "/healthz", Connection="Upgrade", Upgrade=protocol
            )
            assert response.status == 200


async def test_a_client_reads_why_its_upload_was_refused(impatient: ServerProgram) -> None:
    """Closed with bytes unread, a connection is reset, and the refusal is lost."""
    body = b"x" * 20 * MEGABYTE
    async with connected(impatient.url) as connection:
        await connection.send(head("POST", "/api/v1/sessions", body=body, Connection="close"))
        for start in range(0, len(body), MEGABYTE):
            await connection.send(body[start : start + MEGABYTE])
        response = await connection.response()
        assert (response.status, response.headers["connection"]) == (422, "close")
        assert await connection.rest() == b""


async def test_a_response_before_the_body_says_that_the_connection_ends(
    impatient: ServerProgram,
) -> None:
    async with connected(impatient.url) as connection:
        await connection.send(head("POST", "/nothing", body=b"x" * MEGABYTE) + b"x")
        response = await connection.response()
        assert (response.status, response.headers["connection"]) == (404, "close")
        assert await connection.rest() == b""


async def test_slow_connections_do_not_keep_others_out(crowded: ServerProgram) -> None:
    """The oldest of those that wait are closed, whatever has been sent on them."""
    slow: list[Connection] = []
    async with AsyncExitStack() as opened:
        for _ in range(60):
            connection = await opened.enter_async_context(connected(crowded.url))
            await connection.send(b"GET / HTTP/1.1\r\nX: ")
            slow.append(connection)
        async with connected(crowded.url) as connection:
            assert (await connection.request("GET", "/healthz")).status == 200
        ends = asyncio.as_completed([connection.rest() for connection in slow])
        for end in itertools.islice(ends, 30):
            assert b" 408 " in await end


async def test_a_request_that_is_being_answered_is_not_closed_for_want_of_room(
    crowded: ServerProgram,
) -> None:
    async def answered(connection: Connection) -> int:
        body = json.dumps({"query": "Hello?"}).encode()
        return (await connection.request("POST", "/chat", body)).status

    async with AsyncExitStack() as opened:
        asking = [await opened.enter_async_context(connected(crowded.url)) for _ in range(15)]
        asked = asyncio.gather(*map(answered, asking))
        await asyncio.sleep(0)
        for _ in range(60):
            await opened.enter_async_context(connected(crowded.url))
        assert set(await asked) == {200}
