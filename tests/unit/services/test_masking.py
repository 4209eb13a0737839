"""Conversations whose personal data is masked when it is stored."""

import logging
from dataclasses import replace
from http import HTTPStatus

import pytest

from recollect.domain.policy import Policies
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.recall.entry import RecallPolicy
from recollect.ports.models import EndpointReply
from recollect.services.chat.proxied_reply import each, explained
from support.chat_services import SCOPE, Setup
from support.logs import records_of
from support.scripted_answerer import ScriptedAnswerer
from support.tables import for_each

MASKED = Policies(
    masking=MaskingPolicies(usual=MaskingMode.MASK, key=b"a key of a test, long enough"),
    recall=RecallPolicy(k=1),
)
PEOPLE = [f"{name}@acme.nl" for name in ("anna", "bert", "cees", "dora", "eva", "fred")]


async def setup_with_calls() -> Setup:
    """Six exchanges that differ in an address alone."""
    setup = Setup(policies=MASKED, answerer=ScriptedAnswerer("It is noted."))
    for person in PEOPLE:
        await setup.ask(f"The invoice of {person} is late", session_id=None)
    assert setup.services.indexing is not None
    while await setup.services.indexing.do_some():
        pass
    return setup


def mask_of(value: str) -> str:
    masker = MASKED.masking.masker(SCOPE.owner_id, MaskingMode.MASK)
    assert masker is not None
    return masker.text(value)


@for_each("person", PEOPLE)
async def test_a_value_finds_the_exchange_that_has_its_mask(person: str) -> None:
    setup = await setup_with_calls()

    results = await setup.services.recall.search(SCOPE, f"invoice of {person.upper()}", k=1)

    assert [mask_of(person) in one.text for one in results.items] == [True]


@pytest.mark.parametrize("person", PEOPLE[:2])
async def test_a_context_recalls_by_a_value_and_shows_it(person: str) -> None:
    setup = await setup_with_calls()

    await setup.ask(f"What was late of {person}?")

    (recalled,) = setup.answerer.requests[-1].context.recalled
    assert f"The invoice of {person} is late" in recalled.text


async def test_a_model_reads_the_users_words_and_masks_of_what_was_said_before() -> None:
    setup = Setup(policies=MASKED, answerer=ScriptedAnswerer("Call 06-12345678, anna@acme.nl."))

    answered = await setup.ask("Who is anna@acme.nl?")
    await setup.ask("And what about bert@acme.nl?")
    await setup.ask("Was it anna@acme.nl?")

    assert answered.answer.content == "Call 06-12345678, anna@acme.nl."
    first, second, third = (request.context for request in setup.answerer.requests)
    assert first.question == "Who is anna@acme.nl?"
    assert second.window[0].content == f"Who is {mask_of('anna@acme.nl')}?"
    assert third.window[0].content == "Who is anna@acme.nl?"
    assert third.window[1].content == f"Call {mask_of('06-12345678')}, anna@acme.nl."
    assert third.window[2].content == f"And what about {mask_of('bert@acme.nl')}?"
    stored = "\n".join(text for _, text in await setup.stored_texts())
    assert "@" not in stored
    assert "12345678" not in stored


async def test_a_retry_gets_the_stored_answer_with_its_own_values() -> None:
    setup = Setup(policies=MASKED, answerer=ScriptedAnswerer("anna@acme.nl knows bert@acme.nl."))

    await setup.ask("Who is anna@acme.nl?", idempotency_key="once")
    again = await setup.ask("Who is anna@acme.nl?", idempotency_key="once")

    assert again.is_repeated
    assert again.answer.content == f"anna@acme.nl knows {mask_of('bert@acme.nl')}."


async def test_owners_have_masks_of_their_own() -> None:
    setup = Setup(policies=MASKED)
    other = replace(SCOPE, user="bob")

    one = await setup.services.facts.add(SCOPE, "Writes to anna@acme.nl")
    two = await setup.services.facts.add(other, "Writes to anna@acme.nl")

    assert one.content == f"Writes to {mask_of('anna@acme.nl')}"
    assert two.content != one.content


async def test_what_an_endpoint_says_of_a_failure_is_logged_without_personal_data(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "recollect")
    pieces = each([b'{"error": "cannot answer: who is anna@acme.nl?"}'])

    await explained(EndpointReply(status=HTTPStatus.BAD_REQUEST, headers={}, pieces=pieces))

    (record,) = records_of(caplog, "endpoint")
    assert record.__dict__["facts"]["text"] == '{"error": "cannot answer: who is [email]?"}'
