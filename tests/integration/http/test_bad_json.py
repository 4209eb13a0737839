import json
from typing import Final

import pytest

from support.http.bad_requests import (
    EXCHANGES,
    MESSAGES,
    SECRET,
    SESSION,
    SESSIONS,
    TURN,
    Bystander,
    assert_refused,
)
from support.http.callers import Caller
from support.tables import for_each

WITH_BODY: Final = [
    ("POST", SESSIONS),
    ("PATCH", SESSION),
    ("POST", MESSAGES),
    ("POST", EXCHANGES),
    ("PATCH", TURN),
]
NOT_AN_OBJECT: Final = {
    "null": "null",
    "list": f'["{SECRET}"]',
    "text": f'"{SECRET}"',
    "number": "12",
    "boolean": "true",
}
NOT_JSON: Final[dict[str, bytes]] = {
    "words": SECRET.encode(),
    "cut off": f'{{"name": "{SECRET}'.encode(),
    "single quotes": f"{{'name': '{SECRET}'}}".encode(),
    "trailing comma": b'{"name": "x",}',
    "two objects": b"{}{}",
    "comment": b'{} // "x"',
    "blank": b"  ",
    "broken UTF-8": b'{"name": "\xc3\x28"}',
    "a surrogate in UTF-8": b'{"name": "\xed\xa0\x80"}',
    "latin-1": '{"name": "Zoë"}'.encode("latin-1"),
    "binary": bytes(range(256)),
    "a bare newline in text": b'{"name": "a\nb"}',
    "a bare NUL in text": b'{"name": "a\0b"}',
}
NUMBERS: Final = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", str(2**63), "-" + "9" * 30]
DEEP: Final = 10_000


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
async def test_json_that_is_no_object_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, method: str, path: str
) -> None:
    for label, body in NOT_AN_OBJECT.items():
        with subtests.test(label=label):
            assert_refused(await bystander.send_raw(method, path, body), 422)


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
async def test_what_is_not_json_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, method: str, path: str
) -> None:
    for label, body in NOT_JSON.items():
        with subtests.test(label=label):
            response = await bystander.send_raw(method, path, body)

            assert response.status_code in {400, 422}
            assert_refused(response, response.status_code)


@for_each(("method", "path"), WITH_BODY)
async def test_an_empty_body_is_refused(bystander: Bystander, method: str, path: str) -> None:
    assert_refused(await bystander.send_raw(method, path, b""), 422)
    assert_refused(await bystander.send(method, path), 422)


@pytest.mark.parametrize(("method", "path"), WITH_BODY)
async def test_a_body_of_another_content_type_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, method: str, path: str
) -> None:
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "x",
        "text/xml",
    ]:
        with subtests.test(kind=str(kind)[:80]):
            bodies = {
                SESSIONS: {"name": SECRET},
                SESSION: {"name": SECRET},
                MESSAGES: {"role": "user", "content": SECRET},
                EXCHANGES: {"question": SECRET, "answer": SECRET},
                TURN: {"status": "failed"},
            }
            content = json.dumps(bodies[path]).encode()

            response = await bystander.send(
                method, path, content=content, headers={"Content-Type": kind}
            )

            assert_refused(response, 422)
            assert "Content-Type: application/json" in response.json()["detail"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
async def test_json_that_is_not_called_json_is_refused(local: Caller, origin: str) -> None:
    """A web page may send that to this machine without asking us first, and must not write."""
    before = (await local.get(SESSIONS, limit=1000)).json()

    response = await local.send(
        "POST", SESSIONS, content=b'{"name": "written by a page"}', headers={"Origin": origin}
    )
    preflight = await local.send("OPTIONS", SESSIONS, headers={"Origin": origin})

    assert_refused(response, 422)
    assert "Access-Control-Allow-Origin" not in preflight.headers
    assert (await local.get(SESSIONS, limit=1000)).json() == before


@pytest.mark.parametrize("number", [*NUMBERS, pytest.param("9" * 5000, id="5000 digits")])
async def test_numbers_that_would_not_come_back_are_refused(
    subtests: pytest.Subtests, bystander: Bystander, number: str
) -> None:
    for method, path, template in [
        ("POST", SESSIONS, '{"metadata": {"n": %s}}'),
        ("PATCH", SESSION, '{"metadata": {"a": [{"n": %s}]}}'),
        ("POST", MESSAGES, '{"role": "user", "content": "x", "metadata": {"n": [%s]}}'),
        ("POST", MESSAGES, '{"role": "assistant", "content": "x", "execution_result": %s}'),
        ("POST", MESSAGES, '{"role": "assistant", "content": "x", "citations": [%s]}'),
        ("POST", MESSAGES, '{"role": "assistant", "content": "x", "tokens": %s}'),
        ("POST", MESSAGES, '{"role": "assistant", "content": "x", "execution_time_ms": %s}'),
        ("POST", EXCHANGES, '{"question": "x", "answer": "x", "execution_result": {"n": %s}}'),
    ]:
        with subtests.test(method=method, path=path, template=str(template)[:80]):
            response = await bystander.send_raw(method, path, template % number)

            assert response.status_code in {400, 422}
            assert_refused(response, response.status_code)


@pytest.mark.parametrize(
    ("path", "template"),
    [
        (SESSIONS, '{"metadata": {"n": %s}}'),
        (SESSIONS, '{"unknown": %s}'),
        (SESSIONS, "%s"),
        (MESSAGES, '{"role": "user", "content": "x", "metadata": {"n": %s}}'),
        (MESSAGES, '{"role": "assistant", "content": "x", "execution_result": %s}'),
        (MESSAGES, '{"role": "assistant", "content": "x", "citations": [%s]}'),
        (MESSAGES, '{"role": "assistant", "content": %s}'),
    ],
)
async def test_json_that_is_nested_too_deep_is_refused(
    subtests: pytest.Subtests, bystander: Bystander, path: str, template: str
) -> None:
    for depth in [65, 150, 300, 900, DEEP]:
        for opening, closing in [("[", "]"), ('{"a":', "}")]:
            with subtests.test(
                depth=str(depth)[:80], opening=str(opening)[:80], closing=str(closing)[:80]
            ):
                nested = opening * depth + "1" + closing * depth

                response = await bystander.send_raw("POST", path, template % nested)

                assert response.status_code in {400, 422}
                assert_refused(response, response.status_code)
