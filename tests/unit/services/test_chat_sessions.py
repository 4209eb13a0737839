"""Which session a question belongs to."""

import asyncio
import logging
from uuid import UUID

import pytest

from recollect.domain.chat.answers import Inquiry
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import MissingSession, Policies
from recollect.errors import (
    InvalidInput,
    MissingSessionId,
    SessionNotFound,
)
from recollect.services.chat.degradation import SESSION_GONE, SWITCHED_OFF, TOO_LONG
from recollect.telemetry.measuring import Measuring
from support.chat_services import SCOPE, SESSION, Setup


async def test_an_unknown_session_is_started_under_its_id_with_name_tags_and_metadata() -> None:
    setup = Setup()
    question = "Wat zijn de vereisten voor valbeveiliging?"
    await setup.ask(question, session_name="Veilig", session_metadata={"a": 1}, tags=("nl",))
    session = await setup.services.sessions.get(SCOPE, SESSION)
    assert (session.name, session.tags) == ("Veilig", ("nl",))
    assert session.metadata == {"language": "nl", "a": 1}


async def test_a_session_notes_no_language_where_its_first_question_leaves_it_open() -> None:
    setup = Setup()
    await setup.ask("Hoi", session_metadata={"a": 1})
    assert (await setup.services.sessions.get(SCOPE, SESSION)).metadata == {"a": 1}


@pytest.mark.parametrize("session_id", [SESSION, None], ids=["named", "unnamed"])
async def test_a_session_that_is_started_by_its_question_is_no_failure_of_an_operation(
    caplog: pytest.LogCaptureFixture, session_id: UUID | None
) -> None:
    caplog.set_level(logging.INFO, logger="recollect")
    await Setup(telemetry=Measuring()).ask("Hi?", session_id)
    assert _outcomes(caplog) == {"ok"}


async def test_a_session_that_may_not_be_started_is_a_failure_of_its_operations(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger="recollect")
    setup = Setup(policies=Policies(rejects_unknown_sessions=True), telemetry=Measuring())
    with pytest.raises(SessionNotFound):
        await setup.ask("Hi?")
    assert "SessionNotFound" in _outcomes(caplog)


def _outcomes(caplog: pytest.LogCaptureFixture) -> set[str]:
    """How the operations ended that were logged."""
    done = (one for one in caplog.records if one.message.startswith("operation."))
    return {one.facts["outcome"] for one in done}  # type: ignore[attr-defined]  # given as extra


async def test_switched_off_memory_is_reported_as_a_warning() -> None:
    setup = Setup(policies=Policies(is_enabled=False))
    assert (await setup.ask("Hi?")).warnings == (SWITCHED_OFF,)
    assert (await setup.ask("Hi?", uses_memory=False)).warnings == ()


async def test_an_unknown_session_is_not_found_where_sessions_must_be_started_first() -> None:
    setup = Setup(policies=Policies(rejects_unknown_sessions=True))
    with pytest.raises(SessionNotFound):
        await setup.ask("Hi?")
    assert setup.answerer.requests == []
    assert (await setup.ask("Hi?", session_id=None)).session_id


async def test_a_question_without_a_session_gets_a_new_one_each_time() -> None:
    setup = Setup()
    sessions = {(await setup.ask("Hi?", session_id=None)).session_id for _ in range(2)}
    assert len(sessions) == 2


async def test_a_question_without_a_session_is_refused_where_the_preset_requires_one() -> None:
    setup = Setup(policies=Policies(missing_session=MissingSession.REJECT))
    with pytest.raises(MissingSessionId):
        await setup.ask("Hi?", session_id=None, needs_session_id=True)
    assert setup.answerer.requests == []
    assert (await setup.ask("Hi?", session_id=None)).session_id


async def test_a_question_without_a_session_goes_to_the_users_one_session() -> None:
    setup = Setup(policies=Policies(missing_session=MissingSession.USER_WIDE))
    first = await setup.ask("Hi?", session_id=None)
    second = await setup.ask("Hi?", session_id=None)
    assert first.session_id == second.session_id
    assert len(second.context.window) == 2
    other = await setup.services.chat.ask(
        Scope(tenant="acme", user="bob"), Inquiry(text="Hi?", session_id=None)
    )
    assert other.session_id != first.session_id


async def test_a_question_that_is_refused_starts_no_session() -> None:
    setup = Setup(policies=Policies(is_window_fixed=True))
    for session_id in (None, SESSION):
        with pytest.raises(InvalidInput):
            await setup.ask("Hi?", session_id=session_id, window=3)
    assert (await setup.services.sessions.list(SCOPE, PageRequest())).items == ()


async def test_a_question_that_leaves_no_room_for_memory_is_answered_without_and_stored() -> None:
    setup = Setup(policies=Policies(max_context_tokens=50))
    await setup.ask("Do I like tea?")
    letter = "word " * 100

    answered = await setup.ask(letter)

    assert answered.warnings == (TOO_LONG,)
    assert answered.context.window == ()
    assert setup.answerer.requests[-1].context.question == letter
    assert (await setup.stored_texts())[-2:] == [("user", letter), ("assistant", "Fine.")]


async def test_a_session_deleted_during_the_answer_is_reported_as_a_warning() -> None:
    setup = Setup()
    setup.answerer.gate = asyncio.Event()
    asking = asyncio.create_task(setup.ask("Hi?"))
    await setup.answerer.has_been_asked()
    await setup.services.sessions.delete(SCOPE, SESSION)
    setup.answerer.gate.set()
    answered = await asking
    assert answered.answer.content == "Fine."
    assert (answered.reply_id, answered.warnings) == (None, (SESSION_GONE,))
