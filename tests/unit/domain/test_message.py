from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.message import (
    MAX_CONTENT_LENGTH,
    AnswerDetails,
    Message,
    NewMessage,
    Role,
    message_id_for_key,
    parse_role,
)
from recollect.domain.text import JsonValue
from recollect.errors import InvalidInput
from recollect.testing import FIRST_MOMENT
from support.examples import EVERY_KIND_OF_JSON, a_message
from support.tables import for_each

A_SESSION = UUID("0b7a3f52-93c4-4f0e-8a7d-51d2c6e94a20")


def stored(new: NewMessage) -> Message:
    return Message(
        message_id=new.message_id,
        session_id=A_SESSION,
        sequence=1,
        turn_number=1,
        role=new.role,
        content=new.content,
        metadata=new.metadata,
        details=new.details,
        created_at=FIRST_MOMENT,
    )


def test_roles_are_read_by_their_names() -> None:
    assert [parse_role(role) for role in ("user", "assistant", "system")] == list(Role)


@for_each("role", ["", "User", "tool", "user ", "user\0"])
def test_another_role_is_refused_with_the_ones_there_are(role: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_role(role)
    assert str(refusal.value) == "role must be one of: user, assistant, system"


@pytest.mark.parametrize(
    "content",
    ["", "  \n", "a\0b", "\ud800", pytest.param("x" * (MAX_CONTENT_LENGTH + 1), id="too long")],
)
def test_content_that_cannot_be_stored_is_refused(content: str) -> None:
    with pytest.raises(InvalidInput, match=r"^content "):
        a_message("user", content)


def test_content_keeps_its_blanks() -> None:
    assert a_message("user", " hi \n").content == " hi \n"


def test_metadata_must_be_a_json_object() -> None:
    with pytest.raises(InvalidInput, match=r"^metadata "):
        a_message(metadata={"a": float("inf")})


@pytest.mark.parametrize("role", ["user", "system"])
def test_only_an_answer_has_details(role: str) -> None:
    with pytest.raises(InvalidInput, match=r"^sql_query, tokens can only be given"):
        a_message(role, "hi", details=AnswerDetails(tokens=3, sql_query="SELECT 1"))
    assert a_message(role, "hi", details=AnswerDetails()).details == AnswerDetails()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sql_query", "a\0b"),
        ("query_explanation", "\ud800"),
        pytest.param("model", "x" * 1001, id="too long"),
        ("tables_used", ("ok", "a\0b")),
        ("tables_used", ("t",) * 1001),
        ("execution_result", {"rows": [float("nan")]}),
        ("citations", ({"title": "\0"},)),
        ("tokens", -1),
        ("tokens", 2**63),
        ("execution_time_ms", -0.5),
        ("execution_time_ms", float("nan")),
        ("execution_time_ms", float("inf")),
    ],
)
def test_details_that_cannot_be_stored_are_refused(name: str, value: JsonValue) -> None:
    with pytest.raises(InvalidInput, match=f"^{name} "):
        AnswerDetails(**{name: value})  # type: ignore[arg-type]  # one field at a time


def test_details_take_no_room_unless_they_are_set() -> None:
    assert AnswerDetails().to_json() == {}
    assert AnswerDetails(tokens=0, sql_query="").to_json() == {"tokens": 0, "sql_query": ""}


def test_details_survive_json() -> None:
    details = AnswerDetails(
        sql_query="SELECT 1",
        tables_used=("dwh.sales",),
        execution_result=EVERY_KIND_OF_JSON,
        citations=("a", None),
        execution_time_ms=0.5,
    )
    assert AnswerDetails.stored(details.to_json()) == details
    from_lists = {"tables_used": ["dwh.sales"], "citations": ["a", None]}
    expected = AnswerDetails(tables_used=("dwh.sales",), citations=("a", None))
    assert AnswerDetails.stored(from_lists) == expected  # type: ignore[arg-type]  # invariant


def test_a_retry_repeats_a_message_that_says_the_same() -> None:
    message = a_message("user", "Sales?", metadata={"try": 1})
    assert stored(message).repeats(message)
    assert stored(message).repeats(a_message("user", "Sales?", metadata={"try": 2}))
    assert not stored(message).repeats(a_message("user", "sales?"))
    assert not stored(message).repeats(a_message("assistant", "Sales?"))


def test_an_idempotency_key_gives_one_id_per_session() -> None:
    other = uuid4()
    assert message_id_for_key(A_SESSION, "retry-1") == message_id_for_key(A_SESSION, "retry-1")
    ids = {message_id_for_key(s, key) for s in (A_SESSION, other) for key in ("retry-1", "retry-2")}
    assert len(ids) == 4


@pytest.mark.parametrize("key", ["a\0b", "\ud800", pytest.param("x" * 1001, id="too long")])
def test_an_idempotency_key_that_cannot_be_stored_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^Idempotency-Key "):
        message_id_for_key(A_SESSION, key)


@for_each(
    ("name", "value"),
    [
        ("tokens", "many"),
        ("tokens", True),
        ("tokens", 1.5),
        ("tokens", -1),
        ("execution_time_ms", "long"),
        ("tables_used", "sales"),
        ("tables_used", ("sales\0",)),
        ("citations", "a book"),
        ("sql_query", 1),
    ],
)
def test_details_of_the_wrong_kind_are_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=name):
        AnswerDetails(**{name: value})  # type: ignore[arg-type]  # wrong on purpose
