"""The Denodo answerer against our double of the AI SDK; no live one was tried."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.responses import JSONResponse, Response

from recollect.answerers.denodo import DenodoAnswerer, DenodoClient
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.context.context import Context, Sources, Tokens, Truncation
from recollect.domain.identity.scope import Scope
from recollect.domain.text import JsonObject
from recollect.errors import (
    ConfigurationError,
    Forbidden,
    InvalidInput,
    ModelUnavailable,
    RecollectError,
    ReplyUnusable,
    Unauthenticated,
    ViewsNotFound,
)
from recollect.sql_reading import SqlglotReader
from support.doubles.denodo_sdk import ALICE, DenodoDouble, denodo_double
from support.servers.http_servers import free_port
from support.tables import for_each

QUESTION = "Show me total sales by region for 2024"
DIALECTS = ["0.10", "1.2", "1.4"]


def answer_request(question: str = QUESTION, options: JsonObject | None = None) -> AnswerRequest:
    context = Context(
        question=question,
        standalone_question=question,
        summary="They asked for sales.",
        window=(),
        tokens=Tokens(),
        cut=Truncation(),
        sources=Sources(),
    )
    return AnswerRequest(context=context, options=options or {})


def alice(authorization: str | None = ALICE) -> Scope:
    return Scope(tenant="acme", user="alice", authorization=authorization)


@asynccontextmanager
async def denodo(version: str = "1.4") -> AsyncIterator[tuple[DenodoDouble, DenodoAnswerer]]:
    async with denodo_double(version) as double, DenodoClient(double.url) as client:
        yield double, DenodoAnswerer(client, sql=SqlglotReader())


async def refusal(reply: Response, version: str = "1.4") -> RecollectError:
    async with denodo(version) as (double, answerer):
        double.reply = reply
        with pytest.raises(RecollectError) as caught:
            await answerer.answer(alice(), answer_request())
    return caught.value


@for_each("version", DIALECTS)
async def test_database_and_view_names_are_sent_in_the_form_each_version_takes(
    version: str,
) -> None:
    options: JsonObject = {
        "vdp_database_names": "banking_db, hr_db",
        "vdp_tag_names": ["finance"],
        "use_views": "",
        "llm_temperature": 0.5,
        "plot": None,
        "custom_instructions": "Be brief.",
    }
    async with denodo(version) as (double, answerer):
        await answerer.answer(alice(), answer_request(options=options))
        await answerer.answer(alice(), answer_request())
    sent = double.bodies[0]
    instructions = sent.pop("custom_instructions")
    assert instructions.startswith("Be brief.\n\n=== EARLIER CONVERSATION ===")
    assert "They asked for sales." in instructions
    names = ["banking_db", "hr_db"], ["finance"], []
    expected = names if version == "1.4" else [", ".join(part) for part in names]
    assert sent == {
        "question": QUESTION,
        "vdp_database_names": expected[0],
        "vdp_tag_names": expected[1],
        "use_views": expected[2],
        "llm_temperature": 0.5,
    }
    assert double.paths.count("/answerQuestion") == 2
    assert double.refused == (version == "1.4"), "the form is learnt from one refusal"


@for_each("version", DIALECTS)
async def test_an_answer_of_every_version_is_read(version: str) -> None:
    async with denodo(version) as (_, answerer):
        answer = await answerer.answer(alice(), answer_request())
    details = answer.details
    assert answer.content.startswith("The total sales by region for 2024 are:\n- North: $2.5M")
    assert "DISCLAIMER" in answer.content
    assert "DISCLAIMER" not in answer.remembered
    assert answer.remembered.endswith("- West: $1.6M")
    assert details.tables_used == ("banking_db.regions", "banking_db.sales")
    result = details.execution_result
    assert isinstance(result, dict)
    assert (result["columns"], result["row_count"]) == (["region_name", "total_sales"], 4)
    assert len(result["rows"]) == 4, "the policy of the tenant decides later what is stored"
    assert details.tokens == answer.response["tokens"]
    assert details.execution_time_ms == 250
    assert details.model == (None if version == "0.10" else "gpt-4o")
    assert answer.response["tables_used"] == ["banking_db.regions", "banking_db.sales"]
    assert answer.response["related_questions"] == ["What were the sales by product?"]


async def test_a_text_without_a_query_is_an_answer() -> None:
    async with denodo() as (_, answerer):
        answer = await answerer.answer(alice(), answer_request("How are you?"))
    assert answer.remembered.startswith("Sorry")
    assert answer.details.sql_query is None
    assert answer.response["tables_used"] == []


async def test_the_callers_credentials_are_handed_on_as_they_came() -> None:
    async with denodo() as (double, answerer):
        await answerer.answer(alice("Bearer alices-token"), answer_request())
        assert set(double.authorizations) == {"Bearer alices-token"}
        for wrong in ("Bearer nobodys", None):
            with pytest.raises(Unauthenticated) as caught:
                await answerer.answer(alice(wrong), answer_request())
            assert "nobodys" not in str(caught.value)


REFUSED = {"detail": [{"loc": ["body", "mode"], "input": "secret"}]}
TRACEBACK = {"detail": {"error": "boom", "traceback": "Traceback (most recent call last): secret"}}


@for_each(
    ("reply", "error"),
    [
        (JSONResponse({"detail": "Unauthorized"}, 401), Unauthenticated),
        (JSONResponse({"detail": "no"}, 403), Forbidden),
        (JSONResponse({"detail": {"error": "none", "traceback": ""}}, 404), ViewsNotFound),
        (JSONResponse({"detail": "Not Found"}, 404), ModelUnavailable),
        (
            JSONResponse({"detail": [{"loc": ["body", "mode"], "input": "secret"}]}, 422),
            InvalidInput,
        ),
        (JSONResponse(TRACEBACK, 499), ModelUnavailable),
        (JSONResponse(TRACEBACK, 500), ModelUnavailable),
        (Response("<html>secret</html>", 200), ReplyUnusable),
        (JSONResponse(["secret"], 200), ReplyUnusable),
    ],
)
async def test_denodos_failures_become_our_errors_without_its_traceback(
    reply: Response, error: type[RecollectError]
) -> None:
    caught = await refusal(reply)
    assert type(caught) is error
    assert "secret" not in str(caught)
    assert "Traceback" not in str(caught)


async def test_what_a_version_refuses_is_sent_in_its_other_form_and_not_tried_again() -> None:
    async with denodo("1.4") as (double, answerer):
        for _ in range(2):
            await answerer.answer(alice(), answer_request(options={"use_views": "a.b"}))
    sent = [body["use_views"] for body in double.bodies]
    assert sent == [["a.b"], ["a.b"]], "the refused one never reached the endpoint"
    assert double.refused == 1


async def test_an_unreachable_denodo_raises_model_unavailable() -> None:
    async with DenodoClient(f"http://127.0.0.1:{free_port()}") as client:
        answerer = DenodoAnswerer(client, sql=SqlglotReader())
        with pytest.raises(ModelUnavailable, match="could not be reached"):
            await answerer.answer(alice(), answer_request())


async def test_an_endless_response_is_cut_off() -> None:
    async with (
        denodo_double() as double,
        DenodoClient(double.url, max_response_bytes=100) as client,
    ):
        answerer = DenodoAnswerer(client, sql=SqlglotReader())
        with pytest.raises(ModelUnavailable, match="more than 100 bytes"):
            await answerer.answer(alice(), answer_request())


async def test_a_stream_is_the_answer_in_one_piece() -> None:
    async with denodo() as (_, answerer):
        text, answer = [piece async for piece in answerer.stream(alice(), answer_request())]
    assert isinstance(answer, Answer)
    assert text == answer.content


@for_each("url", ["", "denodo", "ftp://denodo", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_DENODO_URL"):
        DenodoClient(url)
