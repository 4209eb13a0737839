"""Whatever is stored comes along in an export; however a document is cut, it is read alike."""

import io
import json
from datetime import timedelta
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.domain.conversation.message import NewMessage, Role
from recollect.domain.conversation.session import NewSession, TurnStatus
from recollect.domain.profile.profile import ProfileChange
from recollect.engines.in_memory import in_memory_stores
from recollect.ports import Stores
from recollect.services.privacy.document.json_stream import JsonStream
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import a_scope
from support.transfers import essence, exported, exported_bytes, imported, transfer_services

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)
CONTENTS = TEXTS.filter(lambda text: bool(text.strip()))
MESSAGES = st.tuples(st.sampled_from(list(Role)), CONTENTS, OBJECTS)
ENDS = st.sampled_from(["delete", "fail", "nothing"])
CONVERSATIONS = st.lists(
    st.tuples(OBJECTS, st.lists(MESSAGES, max_size=6), st.integers(0, 5), ENDS), max_size=4
)
PROFILES = st.dictionaries(st.sampled_from(["a", "b", "ü", "数"]), VALUES, max_size=3)


async def fill(
    stores: Stores, conversations: list[tuple[Any, Any, int, str]], profile: dict[str, Any]
) -> None:
    scope, now = a_scope("source"), FIRST_MOMENT
    for number, (metadata, messages, place, end) in enumerate(conversations):
        session_id = UUID(int=number * 7919)
        new = NewSession(session_id=session_id, metadata=metadata)
        await stores.sessions.start(scope, new, now=now)
        stored = [
            NewMessage(
                message_id=UUID(int=1000 * number + at), role=role, content=text, metadata=more
            )
            for at, (role, text, more) in enumerate(messages)
        ]
        if stored:
            await stores.messages.append(scope, session_id, stored, now=now)
        if end == "delete" and place < len(stored):
            await stores.messages.delete(scope, session_id, stored[place].message_id, now=now)
        if end == "fail" and await stores.messages.fail_turn(scope, session_id, place):
            assert await stores.messages.turn_status(scope, session_id, place) in set(TurnStatus)
    for key, value in profile.items():
        await stores.profiles.change(scope, ProfileChange.of(key, value), now=now)


@settings(max_examples=60)
@given(conversations=CONVERSATIONS, profile=PROFILES, form=st.sampled_from(["json", "zip"]))
async def test_what_is_exported_and_imported_is_what_there_was(
    conversations: list[tuple[Any, Any, int, str]], profile: dict[str, Any], form: str
) -> None:
    clock = FixedClock(FIRST_MOMENT + timedelta(days=1))
    stores = in_memory_stores(clock)
    services, source = transfer_services(stores, clock=clock), a_scope("source")
    await fill(stores, conversations, profile)
    file = await exported_bytes(services, source, form)
    before = await exported(services, source)
    for target in (a_scope("target"), a_scope("target")):  # the second time adds nothing
        await imported(services, target, file)
        after = await exported(services, target)
        assert json.dumps(essence(after)) == json.dumps(essence(before))


@settings(max_examples=200)
@given(value=st.lists(VALUES, max_size=5), sizes=st.lists(st.integers(1, 7), min_size=1))
def test_a_stream_is_read_alike_however_it_is_cut(value: list[Any], sizes: list[int]) -> None:
    text = io.BytesIO(json.dumps(value, ensure_ascii=False, indent=1).encode())
    turns = iter(sizes * (len(text.getvalue()) + 1))
    stream = JsonStream(lambda _: text.read(next(turns)))
    read = [stream.value() for _ in stream.items()]
    stream.end()
    assert json.dumps(read) == json.dumps(value)
