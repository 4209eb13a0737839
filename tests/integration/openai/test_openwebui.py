"""OpenWebUI's calls, in both styles of its headers: exactly what was said is stored."""

import json
from uuid import UUID

import pytest

from recollect.domain.conversation.paging import PageRequest
from recollect.ports import Stores
from recollect.services.access import States
from support.doubles.openwebui import CALLS_A_TOOL, STYLES, OpenWebUI, Style
from support.recall.scripted_index import index_messages
from support.servers.openai_proxy import NumberingDouble, Stage

styles = pytest.mark.parametrize("style", STYLES)


async def front_end(stage: Stage, style: Style) -> OpenWebUI:
    return OpenWebUI(server=await stage.tenant.service(), style=style)


@styles
async def test_a_conversation_is_stored_and_work_of_the_front_ends_own_is_not(
    stage: Stage, style: Style
) -> None:
    chat = await front_end(stage, style)
    assert (await chat.models()).json()["data"][0]["id"] == "m"
    await chat.task("title_generation", "a title")
    assert await chat.ask("My name is Ada.") == "Answer 3."
    await chat.task("follow_up_generation", "suggestions")
    await chat.task("tags_generation", "tags")
    assert await chat.ask("What is my name?") == "Answer 6."
    await chat.task("query_generation", "queries")
    assert await stage.stored_texts(chat.user, chat.chat_id) == [
        ("user", "My name is Ada."),
        ("assistant", "Answer 3."),
        ("user", "What is my name?"),
        ("assistant", "Answer 6."),
    ]
    (session,) = await stage.sessions(chat.user)
    assert (session["session_id"], session["name"]) == (chat.chat_id, "My name is Ada.")
    assert (session["message_count"], session["turn_count"]) == (4, 2)
    assert await stage.statuses(chat.user, chat.chat_id) == ["complete", "complete"]


@styles
async def test_regenerating_and_editing_leave_siblings_and_show_one_branch(
    stage: Stage, style: Style
) -> None:
    chat = await front_end(stage, style)
    await chat.ask("One?")
    await chat.regenerate()
    first = [("user", "One?"), ("assistant", "Answer 2.")]
    assert await stage.stored_texts(chat.user, chat.chat_id) == first
    await chat.ask("Two?")
    await chat.ask("Three?")
    await chat.edit("Two, edited?", turn=1)
    await chat.task("follow_up_generation", "suggestions")
    edited = [*first, ("user", "Two, edited?"), ("assistant", "Answer 5.")]
    assert await stage.stored_texts(chat.user, chat.chat_id) == edited
    (session,) = await stage.sessions(chat.user)
    assert (session["message_count"], session["turn_count"]) == (4, 2)
    everything = await stage.stored_texts(chat.user, chat.chat_id, include_inactive="true")
    assert everything == [
        ("user", "One?"),
        ("assistant", "Answer 1."),
        ("assistant", "Answer 2."),
        ("user", "Two?"),
        ("assistant", "Answer 3."),
        ("user", "Three?"),
        ("assistant", "Answer 4."),
        ("user", "Two, edited?"),
        ("assistant", "Answer 5."),
    ]
    chat.shown = [
        {"role": "user", "content": "One?"},
        {"role": "assistant", "content": "Answer 1."},
    ]
    await chat.ask("Back on the first branch?")
    assert await stage.stored_texts(chat.user, chat.chat_id) == [
        ("user", "One?"),
        ("assistant", "Answer 1."),
        ("user", "Back on the first branch?"),
        ("assistant", "Answer 7."),
    ]


@styles
async def test_an_edited_first_question_is_a_sibling_of_the_first(
    stage: Stage, style: Style
) -> None:
    chat = await front_end(stage, style)
    await chat.ask("One?")
    await chat.edit("One, edited?", turn=0)
    expected = [("user", "One, edited?"), ("assistant", "Answer 2.")]
    assert await stage.stored_texts(chat.user, chat.chat_id) == expected


@styles
async def test_a_turn_that_calls_tools_is_one_turn_with_its_final_answer(
    stage: Stage, double: NumberingDouble, style: Style
) -> None:
    chat = await front_end(stage, style)
    chat.system = "You may use tools."
    double.will(CALLS_A_TOOL)
    assert await chat.ask("What time is it?") == ""
    assert await stage.statuses(chat.user, chat.chat_id) == ["pending"]
    assert await chat.use_tool('{"time": "noon"}') == "Answer 2."
    await chat.task("tags_generation", "tags")
    double.will(CALLS_A_TOOL, CALLS_A_TOOL)
    await chat.ask("And now?")
    await chat.use_tool("one")
    assert await chat.use_tool("two") == "Answer 6."
    assert await stage.stored_texts(chat.user, chat.chat_id) == [
        ("user", "What time is it?"),
        ("assistant", "Answer 2."),
        ("user", "And now?"),
        ("assistant", "Answer 6."),
    ]
    messages = await stage.messages(chat.user, chat.chat_id)
    assert messages[1]["metadata"]["tools"] == ["get_time"]
    assert "noon" not in json.dumps(messages), "what tools say is not stored"
    assert len(await stage.messages(chat.user, chat.chat_id, include_inactive="true")) == 4


@styles
@pytest.mark.parametrize("prefix", ["temporary:", "local:"])
async def test_a_temporary_chat_is_answered_and_not_kept(
    stage: Stage, double: NumberingDouble, style: Style, prefix: str
) -> None:
    chat = await front_end(stage, style)
    chat.chat_id = f"{prefix}ocu9_Frsx3VARDuPAAAF"
    assert await chat.ask("Hello?") == "Answer 1."
    await chat.task("follow_up_generation", "suggestions")
    await chat.ask("And then?")
    assert await stage.sessions(chat.user) == []
    assert len(double.requests) == 3


async def test_the_front_ends_own_ids_are_kept_beside_ours(stage: Stage) -> None:
    chat = await front_end(stage, "templates")
    await chat.ask("One?")
    question, reply = await stage.messages(chat.user, chat.chat_id)
    assert question["metadata"] == {"external_id": chat._question_id}
    assert set(reply["metadata"]) == {"external_id"}
    assert reply["model"] == "m"


async def test_a_title_request_is_recognised_by_header_missing_id_or_prompt(
    stage: Stage, double: NumberingDouble
) -> None:
    service = await stage.tenant.service()
    named = {"X-Session-ID": "chat-1", "X-Memory-User": "ada"}
    body = {"model": "m", "messages": [{"role": "user", "content": "Name this chat."}]}
    marked = {"model": "m", "messages": [{"role": "user", "content": "### Task:\nName it."}]}
    for sent, more in (
        (body, {"X-Memory-Task": "title_generation", "X-Memory-Message-ID": "1"}),
        (body, {"X-Memory-User-Message-ID": "1", "X-Memory-Message-ID": ""}),
        (marked, {}),
    ):
        response = await service.post("/v1/chat/completions", sent, named | more)
        assert (response.status_code, response.headers["X-Memory"]) == (200, "off")
        assert double.requests[-1].body == sent
    assert await stage.sessions("ada") == []


async def test_any_chat_id_maps_to_one_session_of_its_owner(stage: Stage) -> None:
    service = await stage.tenant.service()
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}
    ids = []
    for user in ("ada", "bob", "ada"):
        headers = {"X-Session-ID": "a chat, of mine", "X-Memory-User": user}
        response = await service.post("/v1/chat/completions", body, headers)
        ids.append(response.headers["X-Session-ID"])
    assert ids[0] == ids[2] != ids[1]
    (session,) = await stage.sessions("ada")
    noted = {"external_id": "a chat, of mine", "created_via": "openai"}
    assert noted.items() <= session["metadata"].items()


async def test_a_halted_user_is_refused_before_the_endpoint_is_asked(
    stage: Stage, double: NumberingDouble
) -> None:
    states: States = stage.services.states
    await states.put(stage.tenant.scope("ada"), "halted")
    service = (await stage.tenant.service()).with_headers({"X-Memory-User": "ada"})
    body = {"model": "m", "messages": [{"role": "user", "content": "### Task: Hello?"}]}
    for policy in ("off", "full"):
        response = await service.post(
            "/v1/chat/completions", body, {"X-Session-ID": "1", "X-Memory": policy}
        )
        assert response.status_code == 423
        assert response.json()["error"]["type"] == "invalid_request_error"
    assert double.requests == []


async def test_session_metadata_has_openwebuis_chat_id_and_no_user_names(stage: Stage) -> None:
    chat = await front_end(stage, "forwarded")
    await chat.ask("Wat zijn de vereisten voor valbeveiliging?")
    (session,) = await stage.sessions(chat.user)
    assert session["metadata"] == {
        "language": "nl",
        "created_via": "openwebui",
        "openwebui_conversation_id": chat.chat_id,
        "user_agent": session["metadata"]["user_agent"],
    }


async def test_a_chat_that_is_deleted_by_its_id_is_not_recalled(
    stage: Stage, stores: Stores, double: NumberingDouble
) -> None:
    chat = await front_end(stage, "forwarded")
    await chat.ask("The sales of the North were 2.5M.")
    scope = stage.tenant.scope(chat.user)
    messages = await stage.services.messages.list(scope, UUID(chat.chat_id), PageRequest())
    await index_messages(stores, scope, tuple(reversed(messages.items)))
    asking = OpenWebUI(server=chat.server, style="forwarded", user=chat.user)
    await asking.ask("Which sales did the North have?")
    assert "2.5M" in str(double.last_messages)
    owner = chat.server.with_headers({"X-OpenWebUI-User-Id": chat.user})
    assert (await owner.delete(f"/api/v1/sessions/{chat.chat_id}")).status_code == 204
    asking = OpenWebUI(server=chat.server, style="forwarded", user=chat.user)
    await asking.ask("Which sales did the North have?")
    assert "2.5M" not in str(double.last_messages)


async def test_a_call_without_a_session_gets_a_warning_that_nothing_is_stored(stage: Stage) -> None:
    service = (await stage.tenant.service()).with_headers({"X-Memory-User": "ada"})
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}]}
    told = (
        "No session was named, so memory is neither read nor stored; send X-Session-ID with any "
        "text that stands for the conversation."
    )
    for streams in (False, True):
        response = await service.post("/v1/chat/completions", body | {"stream": streams})
        headers = response.headers
        assert (headers["X-Memory"], headers["X-Memory-Warning"]) == ("off", told)
    task = {"model": "m", "messages": [{"role": "user", "content": "### Task: Translate it."}]}
    told = "The prompt was taken for a front end's own task, such as a title; nothing is remembered"
    response = await service.post("/v1/chat/completions", task, {"X-Session-ID": "1"})
    headers = response.headers
    assert (headers["X-Memory"], headers["X-Memory-Warning"]) == ("off", f"{told}.")
    without_reply = {"X-Session-ID": "1", "X-Memory-User-Message-ID": "q1"}
    response = await service.post("/v1/chat/completions", body, without_reply)
    assert "Send X-Memory-Message-ID as well" in response.headers["X-Memory-Warning"]
    for more in ({"X-Memory": "off"}, {"X-Memory-Task": "tags"}):
        response = await service.post("/v1/chat/completions", task, more | {"X-Session-ID": "1"})
        assert "X-Memory-Warning" not in response.headers
    for more in ({"X-Memory": "off"}, {"X-Session-ID": "1"}, {"X-Memory-Task": "tags"}):
        response = await service.post("/v1/chat/completions", body, more)
        assert "X-Memory-Warning" not in response.headers
