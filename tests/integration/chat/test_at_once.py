"""Several questions at once in one conversation, on the real database."""

import asyncio
from uuid import uuid4

from recollect.ports import Stores
from support.doubles.chat_endpoint import Reply, chat_double
from support.servers.answering_server import answering_server


async def test_questions_asked_at_once_are_all_kept_and_each_gets_its_own_answer(
    stores: Stores,
) -> None:
    session_id = str(uuid4())
    async with (
        chat_double(Reply(answer="Fine.", delay=0.05)) as model,
        answering_server(stores, llm_base_url=model.url, llm_model="large-70b") as caller,
    ):
        responses = await asyncio.gather(
            *(
                caller.post("/chat", {"query": f"What is {n}?"}, {"X-Session-ID": session_id})
                for n in range(6)
            )
        )
        assert {response.status_code for response in responses} == {200}
        messages = await caller.messages({"session_id": session_id}, order="asc")
        path = f"/api/v1/sessions/{session_id}/turns"
        turns = [(await caller.get(f"{path}/{number}")).json() for number in range(1, 7)]
    assert [message["sequence"] for message in messages] == list(range(1, 13))
    assert {turn["status"] for turn in turns} == {"complete"}
    by_turn = {turn["turn_number"]: [] for turn in turns}
    for message in messages:
        by_turn[message["turn_number"]].append(message["role"])
    assert set(map(tuple, by_turn.values())) == {("user", "assistant")}
    asked = {message["content"] for message in messages if message["role"] == "user"}
    assert asked == {f"What is {n}?" for n in range(6)}


async def test_a_reply_stays_with_its_question_when_another_client_switches_branches(
    stores: Stores,
) -> None:
    session = {"X-Session-ID": str(uuid4())}
    edited = {"messages": [{"role": "user", "content": "What is 2?"}], "stream": False}
    waits = Reply(answer="It is late.", waits_after=1)
    async with (
        chat_double(waits, Reply(answer="It is two.")) as model,
        answering_server(stores, llm_base_url=model.url, llm_model="large-70b") as caller,
    ):
        asking = asyncio.create_task(
            caller.post("/chat", {"query": "What is 1?", "stream": True}, session)
        )
        while not model.requests:  # noqa: ASYNC110  # the double tells it by this list alone
            await asyncio.sleep(0.01)
        # A client that tells its messages' ids sends all that it shows: one question, another.
        shows_all = session | {"X-Memory-Message-ID": "m2"}
        switched = await caller.post("/v1/chat/completions", edited, shows_all)
        model.gate.set()
        answered = await asking
        shown = await caller.messages({"session_id": session["X-Session-ID"]}, order="asc")
        everything = await caller.messages(
            {"session_id": session["X-Session-ID"]}, order="asc", include_inactive="true"
        )
    assert (switched.status_code, answered.status_code) == (200, 200)
    assert [message["content"] for message in shown] == ["What is 2?", "It is two."]
    active = {message["content"]: message["is_active"] for message in everything}
    assert active == {
        "What is 1?": False,
        "What is 2?": True,
        "It is two.": True,
        "It is late.": False,
    }
