from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.session import (
    MAX_EXTERNAL_ID_LENGTH,
    NewSession,
    Session,
    SessionChanges,
    name_from_question,
    parse_uuid,
    session_id_from,
)
from recollect.domain.identity.scope import Scope
from recollect.errors import InvalidId, InvalidInput
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

AN_ID = UUID("0b7a3f52-93c4-4f0e-8a7d-51d2c6e94a20")


def a_stored_session() -> Session:
    return Session(
        session_id=AN_ID,
        name=None,
        metadata={},
        databases=(),
        tags=(),
        created_at=FIRST_MOMENT,
        updated_at=FIRST_MOMENT,
        last_accessed_at=FIRST_MOMENT,
        expires_at=None,
        message_count=0,
        turn_count=0,
    )


@for_each("text", [str(AN_ID), str(AN_ID).upper(), str(AN_ID).title()])
def test_a_uuid_is_read_in_either_case(text: str) -> None:
    assert parse_uuid(text, "session_id") == AN_ID


@for_each(
    "text",
    [
        "",
        " ",
        "chat-1",
        AN_ID.hex,
        f"{{{AN_ID}}}",
        f"urn:uuid:{AN_ID}",
        f"{AN_ID}0",
        str(AN_ID)[:-1],
        str(AN_ID).replace("-", "_"),
        str(AN_ID).replace("0", "\u0660"),
        "0b7a3f5-293c4-4f0e-8a7d-51d2c6e94a20",
        "\ud800" * 32,
        "'; DROP TABLE sessions; --",
    ],
)
def test_other_forms_are_not_uuids(text: str) -> None:
    with pytest.raises(InvalidId) as refusal:
        parse_uuid(text, "session_id")
    assert str(refusal.value) == "session_id must be a valid UUID"


def test_a_uuid_as_session_id_is_itself() -> None:
    assert session_id_from(str(AN_ID).upper(), uuid4()) == AN_ID


def test_any_string_is_one_session_of_its_owner() -> None:
    alice = Scope(tenant="acme", user="alice").owner_id
    bob = Scope(tenant="acme", user="bob").owner_id
    assert session_id_from("chat-1", alice) == session_id_from("chat-1", alice)
    ids = {session_id_from(text, owner) for text in ("chat-1", "local:1") for owner in (alice, bob)}
    assert len(ids) == 4


@pytest.mark.parametrize(
    "text", ["a\0b", "\ud800", pytest.param("x" * (MAX_EXTERNAL_ID_LENGTH + 1), id="too long")]
)
def test_a_string_that_cannot_be_stored_is_no_session_id(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^session_id "):
        session_id_from(text, uuid4())


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Sales by region?", "Sales by region?"),
        ("  Sales\n\tby   region? ", "Sales by region?"),
        ("Sal\x07es", "Sales"),
        ("\x07", None),
        ("数据 🧠", "数据 🧠"),
        pytest.param("x" * 500, "x" * 500, id="just short enough"),
        pytest.param("x" * 1_000_000, "x" * 500, id="too long"),
        pytest.param("x" * 499 + " y", "x" * 499, id="cut at a blank"),
    ],
)
def test_a_session_is_named_after_its_first_question(question: str, name: str | None) -> None:
    assert name_from_question(question) == name


def test_a_new_session_tidies_its_name_and_labels() -> None:
    session = NewSession(
        session_id=AN_ID, name="  Sales ", databases=(" dwh", "crm", "dwh"), tags=("b", "a", "b ")
    )
    assert session.name == "Sales"
    assert session.databases == ("dwh", "crm")
    assert session.tags == ("b", "a")


def test_session_changes_tidy_the_given_fields_and_leave_the_others_none() -> None:
    changes = SessionChanges(name=" New ", tags=("a", "a"))
    assert changes == SessionChanges(name="New", tags=("a",))
    assert (changes.metadata, changes.databases) == (None, None)


@for_each("labels", [("",), (" ",), ("a\nb",), ("x" * 256,), ("a",) * 101])
def test_labels_that_cannot_be_stored_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"^tags "):
        NewSession(session_id=AN_ID, tags=labels)
    with pytest.raises(InvalidInput, match=r"^databases "):
        SessionChanges(databases=labels)


@for_each("name", ["", " ", "x" * 501, "a\0b"])
def test_a_name_that_cannot_be_stored_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^name "):
        NewSession(session_id=AN_ID, name=name)
    with pytest.raises(InvalidInput, match=r"^name "):
        SessionChanges(name=name)


def test_metadata_that_would_not_come_back_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^metadata "):
        NewSession(session_id=AN_ID, metadata={"a": float("nan")})
    with pytest.raises(InvalidInput, match=r"^metadata "):
        SessionChanges(metadata={"a": "\0"})


def test_a_session_with_a_summary_is_summarized() -> None:
    session = a_stored_session()
    assert not session.is_summarized
    assert replace(session, summary="Sales were discussed.").is_summarized
