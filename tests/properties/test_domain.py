import json
import unicodedata
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from recollect.domain.conversation.message import AnswerDetails, Role
from recollect.domain.conversation.paging import (
    FactPosition,
    HistoryPosition,
    MessagePosition,
    Order,
    PageRequest,
    Position,
    SessionPosition,
)
from recollect.domain.conversation.session import (
    MAX_SESSION_NAME_LENGTH,
    check_session_name,
    name_from_question,
    session_id_from,
    turn_offsets,
)
from recollect.domain.identity.accounts import SECRET_BYTES, KeyText
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.domain.text import JsonValue, check_json, check_text
from recollect.errors import InvalidCursor, InvalidInput
from support.examples import messages_of

storable_text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
any_text = st.text(st.characters(exclude_categories=[]))
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | storable_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(storable_text, inner, max_size=4),
    max_leaves=20,
)
names = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=50).map(
    partial(unicodedata.normalize, "NFC")
)
any_names = st.text(
    st.sampled_from("aeo \t\n\u00a0\u0085\u0308\u00eb\u00f6\u200b\u200d\u202e\u2028\u3000\ufeff")
    | st.characters(exclude_categories=[]),
    max_size=6,
)
sequences = st.integers(0, 2**63 - 1)
times = st.datetimes(timezones=st.just(UTC))


def cursor_round_trip(position: Position, order: Order) -> Position | None:
    page = PageRequest(limit=1, order=order).page([("shown", position), ("more", position)])
    return PageRequest(cursor=page.next_cursor, order=order).position(type(position))


@given(sequences, times, st.uuids(), st.sampled_from(Order))
def test_a_cursor_decodes_to_its_position(
    sequence: int, time: datetime, session_id: UUID, order: Order
) -> None:
    message = MessagePosition(sequence)
    assert cursor_round_trip(message, order) == message
    session = SessionPosition(time, session_id)
    assert cursor_round_trip(session, order) == session
    history = HistoryPosition(time, session_id, sequence)
    assert cursor_round_trip(history, order) == history
    fact = FactPosition("priority", sequence, time, session_id)
    assert cursor_round_trip(fact, order) == fact


@given(any_text, st.sampled_from([MessagePosition, SessionPosition, HistoryPosition, FactPosition]))
@example("WyJNZXNzYWdlUG9zaXRpb24iLCJkZXNjIiwxXQ", MessagePosition)
def test_any_text_is_a_cursor_or_refused(text: str, kind: type[MessagePosition]) -> None:
    try:
        position = PageRequest(cursor=text).position(kind)
    except InvalidCursor:
        return
    assert isinstance(position, kind)


@given(json_values)
def test_json_that_can_be_stored_is_taken(value: JsonValue) -> None:
    check_json(value, "metadata")
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@given(st.text(max_size=20), st.integers(), st.floats())
def test_accepted_metadata_survives_a_json_round_trip(
    text: str, integer: int, number: float
) -> None:
    value: JsonValue = {"text": text, "integer": integer, "number": number}
    try:
        check_json(value, "metadata")
    except InvalidInput:
        return
    assert json.loads(json.dumps(value, allow_nan=False).encode()) == value


@given(any_text)
def test_text_is_taken_if_and_only_if_postgresql_could_hold_it(text: str) -> None:
    is_storable = "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
    if is_storable:
        assert check_text(text, "content", max_length=len(text)) == text
    else:
        with pytest.raises(InvalidInput):
            check_text(text, "content", max_length=len(text))


@given(any_text)
@example("rec_" + "A" * 86)
@example("rec_" + "!" * 86)
@example("rec_=")
def test_reading_a_keys_text_never_fails(text: str) -> None:
    for candidate in (text, f"rec_{text}"):
        parsed = KeyText.parse(candidate)
        assert parsed is None or len(parsed.secret) == SECRET_BYTES


@given(st.uuids(), st.uuids(), st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES))
def test_the_text_of_an_api_key_parses_to_the_same_key(
    owner_id: UUID, key_id: UUID, secret: bytes
) -> None:
    text = KeyText(owner_id=owner_id, key_id=key_id, secret=secret)
    assert KeyText.parse(str(text)) == text


@given(names, names, names)
def test_a_session_id_is_stable_and_per_owner(text: str, user: str, other: str) -> None:
    assume(user != other)
    mine = Scope(tenant="acme", user=user).owner_id
    theirs = Scope(tenant="acme", user=other).owner_id
    assert session_id_from(text, mine) == session_id_from(text, mine)
    assert session_id_from(text, mine) != session_id_from(text, theirs)


@given(st.uuids(), st.uuids())
def test_a_uuid_is_a_session_id_itself_in_either_case(session_id: UUID, owner_id: UUID) -> None:
    for text in (str(session_id), str(session_id).upper()):
        assert session_id_from(text, owner_id) == session_id


@given(st.tuples(names, names), st.tuples(names, names))
def test_owners_have_one_id_if_and_only_if_they_are_the_same(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    one, other = (Scope(tenant=tenant, user=user) for tenant, user in (first, second))
    assert (one.owner_id == other.owner_id) == (first == second) == (one == other)


@given(any_names, any_names)
def test_two_names_that_are_both_taken_are_never_one_owner(first: str, second: str) -> None:
    assume(first != second)
    try:
        one, other = Scope(tenant="acme", user=first), Scope(tenant="acme", user=second)
        tenants = TenantScope(tenant=first), TenantScope(tenant=second)
    except InvalidInput:
        return
    assert one.owner_id != other.owner_id
    assert tenants[0].owner_id != tenants[1].owner_id
    assert (
        unicodedata.normalize("NFC", first).strip() != unicodedata.normalize("NFC", second).strip()
    )


@given(any_names)
def test_a_name_is_taken_as_it_is_or_refused(name: str) -> None:
    try:
        scope = Scope(tenant=name, user=name)
    except InvalidInput:
        return
    assert scope.tenant == scope.user == name == unicodedata.normalize("NFC", name).strip()
    assert not {unicodedata.category(c) for c in name} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(storable_text)
def test_a_session_name_made_from_a_question_is_a_valid_name(question: str) -> None:
    name = name_from_question(question)
    if name is not None:
        assert check_session_name(name) == name
        assert len(name) <= MAX_SESSION_NAME_LENGTH


@given(st.lists(st.sampled_from([role.value for role in Role])))
def test_turns_are_opened_by_questions_alone_and_never_skipped(roles: list[str]) -> None:
    offsets = list(turn_offsets(messages_of(*roles)))
    assert [o for o, role in zip(offsets, roles, strict=True) if role == "user"] == list(
        range(1, roles.count("user") + 1)
    )
    joined = [offset for offset in offsets if offset is not None]
    assert joined == sorted(joined)
    assert offsets.count(None) == roles.count("system")


@given(json_values, st.lists(json_values, max_size=3), st.integers(0, 2**63 - 1))
def test_details_survive_json(result: JsonValue, citations: list[JsonValue], tokens: int) -> None:
    details = AnswerDetails(execution_result=result, citations=tuple(citations), tokens=tokens)
    assert AnswerDetails.stored(json.loads(json.dumps(details.to_json()))) == details
