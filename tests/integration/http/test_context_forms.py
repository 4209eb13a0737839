"""A context in the form that its reader wants."""

import pytest

from conformance.contracts.facts_shared import a_fact, evidence_of, store
from recollect.domain.facts.slots import Slot
from recollect.ports import Stores
from support.http.callers import Caller, Json, Tenant


async def in_form(caller: Caller, form: str | None) -> Json:
    session = await caller.start_session()
    await caller.add(session, "Wat kost een hamer?")
    await caller.add(session, "Een hamer kost 12 euro.", role="assistant", sql_query="SELECT 12")
    path = f"/api/v1/sessions/{session['session_id']}/context"
    params = {} if form is None else {"format": form}
    body = {"question": "Wat kost een zaag van 30 centimeter?"}
    response = await caller.send("POST", path, json=body, params=params)
    assert response.status_code == 200, response.text
    told: Json = response.json()
    return told


async def test_a_template_gets_its_variables(alice: Caller) -> None:
    told = await in_form(alice, "variables")

    assert told == {
        "standing_instructions": [],
        "profile": {},
        "facts": [],
        "history": [
            {"role": "user", "content": "Wat kost een hamer?"},
            {"role": "assistant", "content": "Een hamer kost 12 euro."},
        ],
        "summary": "",
        "recalled": [],
        "question": "Wat kost een zaag van 30 centimeter?",
    }


async def test_a_context_has_facts_about_the_user_with_their_sources(
    alice: Caller, tenant: Tenant, stores: Stores
) -> None:
    said = evidence_of("een zaag van 30 centimeter")
    saw = a_fact("Ik heb een zaag van 30 centimeter.", evidence=said)
    await store(stores, tenant.scope("alice"), saw)

    told = await in_form(alice, "object")

    (fact,) = told["facts"]
    assert fact == {
        "id": str(saw.fact_id),
        "content": saw.content,
        "type": "fact",
        "quote": said.quote,
        "created_at": fact["created_at"],
    }
    assert told["sources"]["facts"] == [str(said.message_id)]
    assert saw.content in told["messages"][-1]["content"]
    assert (await in_form(alice, "variables"))["facts"] == [saw.content]
    assert "Bekend sinds" in (await in_form(alice, "block"))["block"]
    assert saw.content in (await in_form(alice, "instructions"))["instructions"]


async def test_a_context_has_standing_instructions_with_their_sources(
    alice: Caller, tenant: Tenant, stores: Stores
) -> None:
    said = evidence_of("in het Nederlands graag")
    wish = a_fact("In het Nederlands graag.", slot=Slot.ANSWER_LANGUAGE, evidence=said)
    await store(stores, tenant.scope("alice"), wish)

    told = await in_form(alice, "object")

    (instruction,) = told["standing_instructions"]
    assert instruction == {
        "fact_id": str(wish.fact_id),
        "text": wish.content,
        "session_id": str(said.session_id),
        "message_id": str(said.message_id),
        "created_at": instruction["created_at"],
    }
    assert told["facts"] == []
    assert told["sources"]["standing_instructions"] == [str(said.message_id)]
    assert wish.content in told["messages"][0]["content"]
    assert "Blijvende instructie van" in (await in_form(alice, "block"))["block"]

    await alice.delete(f"/api/v1/memory/{wish.fact_id}")
    added = await alice.post("/api/v1/memory", {"content": "Antwoord voortaan in het Frans."})
    (entered,) = (await in_form(alice, "object"))["standing_instructions"]
    assert entered["fact_id"] == added.json()["fact_id"]
    assert (entered["session_id"], entered["message_id"]) == (None, None)


async def test_a_chat_model_gets_messages(alice: Caller) -> None:
    told = await in_form(alice, "messages")

    assert list(told) == ["messages"]
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "user"]
    assert told == {"messages": (await in_form(alice, "object"))["messages"]}


async def test_a_data_question_gets_instructions(alice: Caller) -> None:
    told = await in_form(alice, "instructions")

    assert told["question"] == "Wat kost een zaag van 30 centimeter?"
    assert "SQL: SELECT 12" in told["instructions"]


async def test_a_system_prompt_gets_a_block_in_the_language_of_the_question(
    alice: Caller,
) -> None:
    told = await in_form(alice, "block")

    assert set(told) == {"question", "block"}
    assert told["block"].startswith("**Eerdere gesprek:**")


async def test_a_context_without_a_named_form_has_everything(alice: Caller) -> None:
    plain, named = await in_form(alice, None), await in_form(alice, "object")

    assert set(plain) == set(named) >= {"question", "window", "recalled", "sources", "tokens"}


@pytest.mark.parametrize("form", ["", "VARIABLES", "xml"])
async def test_an_unknown_form_is_refused(alice: Caller, form: str) -> None:
    session = await alice.start_session()
    path = f"/api/v1/sessions/{session['session_id']}/context"

    response = await alice.send("POST", path, json={"question": "Why?"}, params={"format": form})

    assert response.status_code == 422
