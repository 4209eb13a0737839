"""No text, however it is sent, holds the event loop for long.

Measured is the CPU time of the loop's thread, so that a busy machine does not matter.
"""

from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import Final
from uuid import uuid4

import httpx
import pytest
from fastapi.routing import APIRoute

from recollect.interfaces.http.app import _ROUTERS
from support.effort import sample, share
from support.hostile.measured_server import BOUND, MeasuredServer, longest_block
from support.hostile.requests import (
    HostileDouble,
    HostileRequest,
    as_question,
    as_reply,
    everything,
    follow_up_requests,
    send,
    store_in_session,
)
from support.hostile.texts import SAMPLE, SIZES, TEXTS

GROWTH: Final = 6
"""Four times the text may take so many times the work: less than quadratic, which is sixteen."""
GROWING: Final = frozenset({"newlines", "base64", "quoted SQL", "questions"})
"""Texts whose growth is looked at on every run: cut, counted and read at very different speeds."""
WRITING: Final = frozenset({"POST", "PUT", "PATCH"})


async def loop_seconds(
    client: httpx.AsyncClient,
    server: MeasuredServer,
    double: HostileDouble,
    requests: Iterable[HostileRequest],
) -> float:
    """What the loop worked for all the requests; none of them may hold it for long."""
    worked = 0.0
    for request in requests:
        longest, total = await longest_block(
            server.loop_time, partial(send, client, server.url, request, double), bound=BOUND
        )
        assert longest <= BOUND, f"{request} blocked the loop for {longest * 1000:.0f} ms"
        worked += total
    return worked


@pytest.mark.parametrize("name", sample(TEXTS, of=SAMPLE))
async def test_no_route_blocks_the_event_loop_on_a_hostile_text(
    name: str, client: httpx.AsyncClient, server: MeasuredServer, double: HostileDouble
) -> None:
    requests = await everything(client, server.url, TEXTS[name](SIZES[-1]))
    some = share([*requests], [*TEXTS].index(name), of=3)
    await loop_seconds(client, server, double, some)


@pytest.mark.parametrize("name", sample(TEXTS, of=GROWING))
async def test_event_loop_time_grows_linearly_with_the_length_of_a_text(
    name: str, client: httpx.AsyncClient, server: MeasuredServer, double: HostileDouble
) -> None:
    worked: dict[int, float] = {}
    for size in sample(SIZES, of=(SIZES[0], SIZES[-1])):
        session_id = await store_in_session(client, server.url, TEXTS[name](size))
        requests = islice(
            follow_up_requests(session_id), 4
        )  # a context, and those who answer with one
        worked[size] = await loop_seconds(client, server, double, requests)
    assert worked[SIZES[-1]] <= GROWTH * worked[SIZES[0]]


def test_no_route_that_takes_text_is_forgotten() -> None:
    sent = {
        (request.method, request.route)
        for request in (*as_question("x"), *follow_up_requests(str(uuid4())), *as_reply("x"))
    }
    routes = [route for router in _ROUTERS for route in router.routes]
    assert all(isinstance(route, APIRoute) for route in routes)
    writing = {
        (method, route.path_format) for route in routes for method in route.methods & WRITING
    }
    assert writing
    assert writing <= sent
