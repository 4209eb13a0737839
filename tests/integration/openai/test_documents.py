"""OpenWebUI with documents: the user's question is stored and searched, the model gets it all."""

import pytest

from support.doubles.openwebui import CALLS_A_TOOL, STYLES, OpenWebUI, Style, rag_prompt
from support.servers.openai_proxy import NumberingDouble, Stage

DOCUMENT = "The warranty of the ladder is 24 months."
styles = pytest.mark.parametrize("style", STYLES)


@styles
async def test_a_question_about_a_document_is_a_turn_and_stored_without_the_document(
    stage: Stage, double: NumberingDouble, style: Style
) -> None:
    chat = OpenWebUI(server=await stage.tenant.service(), style=style)
    await chat.task("query_generation", "queries")
    await chat.ask("How long is the warranty?", documents=[DOCUMENT])
    sent = rag_prompt("How long is the warranty?", [DOCUMENT])
    assert double.last_messages == [{"role": "user", "content": sent}], "the model reads it all"
    await chat.ask("And of the rope?", documents=[DOCUMENT, "The rope has none."])
    await chat.ask("Thank you.")
    assert await stage.stored_texts(chat.user, chat.chat_id, include_inactive="true") == [
        ("user", "How long is the warranty?"),
        ("assistant", "Answer 2."),
        ("user", "And of the rope?"),
        ("assistant", "Answer 3."),
        ("user", "Thank you."),
        ("assistant", "Answer 4."),
    ]
    (session,) = await stage.sessions(chat.user)
    assert session["name"] == "How long is the warranty?"
    assert await stage.statuses(chat.user, chat.chat_id) == ["complete"] * 3


@styles
async def test_an_answer_about_a_document_can_be_had_again(stage: Stage, style: Style) -> None:
    chat = OpenWebUI(server=await stage.tenant.service(), style=style)
    await chat.ask("How long is the warranty?", documents=[DOCUMENT])
    chat.shown = []
    await chat.ask("How long is the warranty?", documents=[DOCUMENT, "Something else."])
    assert await stage.stored_texts(chat.user, chat.chat_id, include_inactive="true") == [
        ("user", "How long is the warranty?"),
        ("assistant", "Answer 1."),
        ("assistant", "Answer 2."),
    ]


@styles
async def test_sources_that_tools_bring_within_a_turn_leave_it_one_turn(
    stage: Stage, double: NumberingDouble, style: Style
) -> None:
    chat = OpenWebUI(server=await stage.tenant.service(), style=style)
    double.will(CALLS_A_TOOL)
    await chat.ask("What does the web say?")
    chat.shown[0] = {"role": "user", "content": rag_prompt("What does the web say?", [""])}
    await chat.use_tool('{"found": "much"}')
    assert await stage.stored_texts(chat.user, chat.chat_id, include_inactive="true") == [
        ("user", "What does the web say?"),
        ("assistant", "Answer 2."),
    ]


async def test_a_question_that_begins_with_a_task_heading_is_stored_where_messages_have_ids(
    stage: Stage,
) -> None:
    chat = OpenWebUI(server=await stage.tenant.service(), style="templates")
    await chat.ask("### Task:\nWrite a poem.")
    assert await stage.stored_texts(chat.user, chat.chat_id) == [
        ("user", "### Task:\nWrite a poem."),
        ("assistant", "Answer 1."),
    ]
