"""What memory adds: what the client left out, in a place that keeps prompt caches useful."""

from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from uuid import UUID, uuid4

import httpx
import pytest_asyncio

from conformance.contracts.facts_shared import a_fact, evidence_of, store
from recollect.domain.context.compaction import CompactionPolicy
from recollect.domain.facts.fact import Evidence
from recollect.domain.facts.slots import Slot
from recollect.domain.policy import PRESETS, Policies
from recollect.ports import Stores
from support.examples import a_summary
from support.http.callers import Caller, Json
from support.servers.openai_proxy import NumberingDouble, Stage, staged

PATH = "/v1/chat/completions"
SESSION = "6fa459ea-ee8a-4ca4-894e-db77e160355e"
SYSTEM: Json = {"role": "system", "content": "Be brief."}


async def ada(stage: Stage) -> Caller:
    return (await stage.tenant.user("ada")).with_headers({"X-Session-ID": SESSION})


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def assistant(text: str) -> Json:
    return {"role": "assistant", "content": text}


async def say(caller: Caller, *messages: Json) -> None:
    response = await caller.post(PATH, {"model": "m", "messages": list(messages)})
    assert response.status_code == 200, response.text


async def summarise(stage: Stage, stores: Stores, *, through: int) -> None:
    scope = stage.tenant.scope("ada")
    summary = a_summary("They spoke of hills.", through=through)
    assert await stores.summaries.put(scope, UUID(SESSION), summary, replaces=0, added=through)


async def test_a_client_that_sends_the_whole_branch_gets_nothing_added(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    await say(caller, SYSTEM, user("One?"))
    await say(caller, SYSTEM, user("One?"), assistant("Answer 1."), user("Two?"))
    expected = [SYSTEM, user("One?"), assistant("Answer 1."), user("Two?")]
    assert double.last_messages == expected
    assert await stage.stored_texts("ada", SESSION) == [
        (m["role"], m["content"]) for m in [*expected[1:], assistant("Answer 2.")]
    ]


async def test_added_messages_follow_the_clients_instructions_and_only_grow(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    sent = []
    for number in (1, 2, 3):
        await say(caller, SYSTEM, user(f"Question {number}?"))
        sent.append(double.last_messages)
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier, "what the endpoint has cached is still the start"
    assert sent[2] == [
        SYSTEM,
        user("Question 1?"),
        assistant("Answer 1."),
        user("Question 2?"),
        assistant("Answer 2."),
        user("Question 3?"),
    ]


async def test_the_end_of_a_branch_gets_a_summary_of_its_beginning_that_stays_the_same(
    stage: Stage, stores: Stores, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    messages = [SYSTEM, user("Question 1?")]
    for number in (1, 2, 3):
        await say(caller, *messages)
        messages += [assistant(f"Answer {number}."), user(f"Question {number + 1}?")]
    await summarise(stage, stores, through=4)
    told = []
    for number in (4, 5):
        await say(caller, SYSTEM, *messages[5:])
        told.append(double.last_messages)
        messages += [assistant(f"Answer {number}."), user(f"Question {number + 1}?")]
    first, second = told
    assert first[0]["role"] == "system"
    assert first[0]["content"].startswith("Be brief.\n\nWhat was said earlier")
    assert "They spoke of hills." in first[0]["content"]
    assert first[1:] == messages[5 : 5 + len(first) - 1]
    assert second[: len(first)] == first
    assert len(await stage.messages("ada", SESSION)) == 10, "no message was stored twice"


async def test_a_question_is_passed_on_as_it_was_asked(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    await say(caller, user("Show me total sales by region for 2024"))
    await say(caller, user("What about 2023?"))
    assert double.last_messages[-1] == user("What about 2023?")


async def test_parts_images_and_greetings_are_understood(
    stage: Stage, double: NumberingDouble
) -> None:
    caller = await ada(stage)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    shown = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]}
    await say(caller, assistant("Hello, I am here."), shown)
    await say(
        caller,
        assistant("Hello, I am here."),
        shown,
        assistant(" Answer 1.\n"),
        {"role": "user", "content": [image]},
    )
    assert await stage.stored_texts("ada", SESSION) == [
        ("user", "What is this?"),
        ("assistant", "Answer 1."),
        ("user", "[image_url]"),
        ("assistant", "Answer 2."),
    ]


async def test_the_rest_of_a_begun_answer_is_stored_with_its_beginning(stage: Stage) -> None:
    caller = await ada(stage)
    await say(caller, user("Tell me!"))
    await say(caller, user("Tell me!"), assistant("It began so: "))
    expected = [("user", "Tell me!"), ("assistant", "It began so: Answer 2.")]
    assert await stage.stored_texts("ada", SESSION) == expected


async def test_a_conversation_that_began_elsewhere_is_taken_over(stage: Stage) -> None:
    caller = await ada(stage)
    messages = [user("One?"), assistant("Told elsewhere."), user("Two?")]
    await say(caller, *messages)
    stored = await stage.stored_texts("ada", SESSION)
    assert stored == [(m["role"], m["content"]) for m in [*messages, assistant("Answer 1.")]]


@pytest_asyncio.fixture
async def app_stage(stores: Stores, client: httpx.AsyncClient) -> AsyncIterator[Stage]:
    """A server where users have one session each, and long ones are summarised."""
    preset = PRESETS["app"]
    policies = replace(
        Policies(),
        missing_session=preset.missing_session,
        compaction=CompactionPolicy(trigger=3, keep=2),
        model="the-default",
    )
    async with staged(stores, client, policies=policies) as stage:
        yield stage


async def test_without_a_session_id_nothing_is_stored_unless_the_preset_has_one_per_user(
    stage: Stage, app_stage: Stage
) -> None:
    plain = await stage.tenant.user("ada")
    await say(plain, user("Hello?"))
    assert await stage.sessions("ada") == []
    caller = await app_stage.tenant.user("ada")
    for text in ("My name is Ada.", "What is my name?"):
        await caller.post(PATH, {"messages": [user(text)]})
    (session,) = await app_stage.sessions("ada")
    assert session["message_count"] == 4
    assert app_stage.double.requests[-1].body["model"] == "the-default"
    assert app_stage.double.last_messages[0] == user("My name is Ada.")


async def test_the_chosen_keys_of_the_profile_follow_the_clients_instructions(
    stores: Stores, client: httpx.AsyncClient
) -> None:
    async with staged(stores, client, policies=Policies(profile_keys=("plan",))) as stage:
        caller = await ada(stage)
        for key, value in (("plan", "gold"), ("secret", "silver")):
            await caller.send("PUT", f"/api/v1/profile/{key}", json={"value": value})
        await say(caller, SYSTEM, user("One?"))
        leading, question = stage.double.last_messages
    assert leading["role"] == "system"
    assert leading["content"].startswith("Be brief.\n\n")
    assert 'Profile "plan": "gold"' in leading["content"]
    assert "silver" not in leading["content"]
    assert question == user("One?")


async def test_facts_come_within_the_question_unless_the_client_sends_their_conversation(
    stage: Stage, stores: Stores, double: NumberingDouble
) -> None:
    caller, scope = await ada(stage), stage.tenant.scope("ada")
    here = Evidence(session_id=UUID(SESSION), message_id=uuid4(), turn_number=1, quote="I ski.")
    for content, source in (("I like rhymes.", evidence_of("rhymes")), ("Rhymes bore me.", here)):
        await store(stores, scope, a_fact(content, evidence=source))
    await say(caller, SYSTEM, user("Rhymes?"))
    _, question = double.last_messages
    assert "I like rhymes." in question["content"]
    assert "Rhymes bore me." in question["content"]
    before = [SYSTEM, user("Rhymes?"), assistant("Answer 1.")]
    await say(caller, *before, user("Rhymes, rhymes?"))
    *first, question = double.last_messages
    assert first == before
    assert "I like rhymes." in question["content"]
    assert "Rhymes bore me." not in question["content"]
    assert question["content"].endswith("</conversation_facts>\n\nRhymes, rhymes?")
    stored = await stage.stored_texts("ada", SESSION)
    assert [text for role, text in stored if role == "user"] == ["Rhymes?", "Rhymes, rhymes?"]


async def test_standing_instructions_follow_the_clients_unless_it_sends_their_conversation(
    stage: Stage, stores: Stores, double: NumberingDouble
) -> None:
    caller, scope = await ada(stage), stage.tenant.scope("ada")
    here = Evidence(session_id=UUID(SESSION), message_id=uuid4(), turn_number=1, quote="I ski.")
    for content, source in (("Always rhyme.", evidence_of("rhyme")), ("Never rhyme.", here)):
        fact = a_fact(content, slot=Slot.ANSWER_STYLE, evidence=source)
        await store(stores, scope, fact)
    await say(caller, SYSTEM, user("One?"))
    leading, question = double.last_messages
    assert leading["content"].startswith("Be brief.\n\n")
    assert "Always rhyme." in leading["content"]
    assert "Never rhyme." in leading["content"]
    assert question == user("One?")
    await say(caller, SYSTEM, user("One?"), assistant("Answer 1."), user("Two?"))
    leading, *_ = double.last_messages
    assert "Always rhyme." in leading["content"]
    assert "Never rhyme." not in leading["content"]
