"""Documents that are broken, hostile or not for here: refused, with the place that is wrong."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from recollect.domain.policy import Policies, RetentionPolicies, RetentionPolicy
from recollect.domain.privacy.masking import MaskingMode, MaskingPolicies
from recollect.domain.transfer.document import Outcome
from recollect.engines.in_memory import in_memory_stores
from recollect.errors import InvalidInput
from recollect.services.privacy.document import items, json_stream
from recollect.testing import FIRST_MOMENT, FixedClock
from support.examples import a_scope, seconds_on, start_conversation
from support.tables import for_each
from support.transfers import Document, exported, exported_bytes, imported, transfer_services

Change = Callable[[Document], object]
NOW = FIRST_MOMENT + timedelta(days=30)


class Scene:
    """A document of two sessions, and an empty memory to bring it into."""

    def __init__(self, *, retention: str = "none") -> None:
        self.clock = FixedClock(NOW)
        self.stores = in_memory_stores(self.clock)
        policy = RetentionPolicy.parse(retention)
        policies = Policies(retention=RetentionPolicies(usual=policy))
        self.services = transfer_services(self.stores, clock=self.clock, policies=policies)
        self.source, self.target = a_scope(), a_scope()

    async def document(self) -> Document:
        for _ in range(2):
            await start_conversation(self.stores, self.source, ("user", "assistant") * 2)
        await self.services.facts.add(self.source, "Likes tea.")
        await self.services.profiles.set(self.source, "tea", 1)
        return await exported(self.services, self.source)

    async def stored(self) -> tuple[int, int]:
        document = await exported(self.services, self.target)
        sessions = document["sessions"]
        return len(sessions), sum(len(session["messages"]) for session in sessions)


def message_of(document: Document, session: int = 1, place: int = 1) -> Document:
    found: Document = document["sessions"][session]["messages"][place]
    return found


WRONG: dict[str, tuple[Change, str]] = {
    "another format": (lambda d: d.update(format="chatgpt"), "format must be 'recollect-export'"),
    "a later version": (lambda d: d.update(version=2), "version is 2, and this version"),
    "a version that is a text": (lambda d: d.update(version="1"), "version must be 1"),
    "an unknown part": (lambda d: d.update(passwords=[]), "document may have these members"),
    "an unknown member": (
        lambda d: message_of(d).update(admin=True),
        "sessions[1].messages[1].message may have these members",
    ),
    "a message of another session": (
        lambda d: message_of(d).update(session_id=str(uuid4())),
        "sessions[1].messages[1].session_id must be that of the session",
    ),
    "an id that is none": (
        lambda d: message_of(d).update(message_id="1' OR '1'='1"),
        "sessions[1].messages[1].message_id must be a valid UUID",
    ),
    "a number that overflows": (
        lambda d: message_of(d).update(sequence=2**63 - 1),
        "sessions[1].messages[1].sequence must be an integer",
    ),
    "a number that is a truth": (
        lambda d: message_of(d).update(sequence=True),
        "sessions[1].messages[1].sequence must be an integer",
    ),
    "an unknown role": (
        lambda d: message_of(d).update(role="root"),
        "sessions[1].messages[1].role must be one of",
    ),
    "a NUL character": (
        lambda d: message_of(d).update(content="a\0b"),
        "sessions[1].messages[1].content must not contain NUL",
    ),
    "half a surrogate pair": (
        lambda d: message_of(d).update(metadata={"a": "\ud800"}),
        "sessions[1].messages[1].metadata must not contain lone surrogates",
    ),
    "a time in the future": (
        lambda d: message_of(d).update(created_at="2999-01-01T00:00:00Z"),
        "sessions[1].messages[1].created_at must not lie",
    ),
    "a time without a zone": (
        lambda d: message_of(d).update(created_at="2020-01-01T00:00:00"),
        "sessions[1].messages[1].created_at must have a time zone",
    ),
    "details of a question": (
        lambda d: message_of(d, place=0).update(details={"model": "m"}),
        "sessions[1].messages[0].model can only be given with an assistant's",
    ),
    "a status that is none": (
        lambda d: message_of(d)["turn"].update(status="done"),
        "sessions[1].messages[1].turn.status must be one of",
    ),
    "a question without a turn": (
        lambda d: message_of(d, place=0).update(turn=None),
        "sessions[1].messages[0].turn must be given",
    ),
    "a message that is a list": (
        lambda d: d["sessions"][1]["messages"].__setitem__(1, []),
        "sessions[1].messages[1].session_id must be that of the session",
    ),
}
WRONG_AT_ONCE: dict[str, tuple[Change, str]] = {
    "a member after the messages": (
        lambda d: d["sessions"][0].update(tags=[], z=1),
        "sessions[0].messages must be the last member",
    ),
    "a profile beyond its depth": (
        lambda d: d["profile"][0].update(value=nested(40)),
        "profile[0].value is nested deeper than 32 levels",
    ),
    "a fact with a secret": (
        lambda d: d["facts"][0].update(content="My password is hunter2."),
        "facts[0].content",
    ),
    "a history that goes back": (
        lambda d: d["facts"][0].update(history=d["facts"][0]["history"] * 2),
        "facts[0].history[1].version must grow",
    ),
    "a mode that is blank": (
        lambda d: d.update(state={"mode": " ", "updated_at": "2020-01-01T00:00:00Z"}),
        "state.mode must not be blank",
    ),
    "a summary that ends before it begins": (
        lambda d: d["sessions"][0].update(
            summary={**A_SUMMARY, "first_sequence": 5, "last_sequence": 2}
        ),
        "sessions[0].summary.last_sequence must be an integer from 5",
    ),
}
A_SUMMARY: Document = {
    "text": "They talked.",
    "first_sequence": 1,
    "last_sequence": 2,
    "tables": [],
    "method": "by hand",
    "created_at": "2025-01-01T00:00:00Z",
}


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@for_each("case", WRONG | WRONG_AT_ONCE)
async def test_what_is_wrong_is_refused_with_its_place(case: str) -> None:
    scene = Scene()
    document = await scene.document()
    change, problem = (WRONG | WRONG_AT_ONCE)[case]
    change(document)
    with pytest.raises(InvalidInput) as refused:
        await imported(scene.services, scene.target, document)
    assert str(refused.value).startswith(problem), str(refused.value)


async def test_what_comes_before_the_broken_part_stays_and_a_second_try_goes_on() -> None:
    scene = Scene()
    document = await scene.document()
    broken = json.loads(json.dumps(document))
    message_of(broken)["role"] = "root"
    with pytest.raises(InvalidInput):
        await imported(scene.services, scene.target, broken)
    assert await scene.stored() == (2, 5)
    report = await imported(scene.services, scene.target, document)
    assert report.messages == Outcome(added=3, known=5)
    assert await scene.stored() == (2, 8)


@for_each(
    ("text", "problem"),
    [
        (b"", "file is no export of Recollect"),
        (b"root:x:0:0", "file is no export of Recollect"),
        (b"[]", "file is no export of Recollect"),
        (b"{}", "format must be"),
        (b"\xff\xfe{}", "line 1 must be UTF-8"),
        (b'{"format": "recollect-export"}', "version must be 1"),
        (b'{"version": 1, "sessions": []}', "format must be"),
        (b'{"format": "recollect-export", "version": 1,\n\n"facts": [nul]}', "line 3 is no JSON"),
        (b'{"format": "recollect-export", "version": 1, 7: 8}', "line 1 must have a text"),
        (b'{"format": "recollect-export", "version": 1} {}', "line 1 must be the end"),
        (b'{"format": "recollect-export", "version": 1, "facts": {}}', "line 1 must have '['"),
        (b'{"format": "recollect-export", "version": 1, "facts": [NaN]}', "line 1 is no JSON that"),
        (
            b'{"format": "recollect-export", "version": 1, "facts": [' + b"9" * 5000 + b"]}",
            "line 1 is no JSON that can be read",
        ),
        (
            b'{"format": "recollect-export", "version": 1, "facts": [' + b"[" * 100_000,
            "line 1 is no JSON that can be read: it is nested too deeply",
        ),
        (
            b'{"format": "recollect-export", "version": 1, "sessions": [{"messages": [], "a": 1}]}',
            "sessions[0].session_id must be a text",
        ),
        (b"PK\x03\x04 and nothing else", "file is a broken archive"),
    ],
)
async def test_what_is_no_document_is_refused(text: bytes, problem: str) -> None:
    scene = Scene()
    with pytest.raises(InvalidInput) as refused:
        await imported(scene.services, scene.target, text)
    assert str(refused.value).startswith(problem), str(refused.value)


@pytest.mark.parametrize("form", ["json", "zip"])
async def test_a_document_that_is_cut_off_anywhere_is_refused(form: str) -> None:
    scene = Scene()
    await scene.document()
    whole = await exported_bytes(scene.services, scene.source, form)
    for length in range(0, len(whole) - 2, max(1, len(whole) // 150)):
        target = a_scope()
        with pytest.raises(InvalidInput):
            await imported(scene.services, target, whole[:length])


async def test_a_value_without_an_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "MAX_VALUE", 1_000_000)
    given = 0

    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            nonlocal given
            beginning = (
                b"" if given else b'{"format": "recollect-export", "version": 1, "facts": ["'
            )
            given += size
            return beginning + b"x" * size

    scene = Scene()
    with pytest.raises(InvalidInput, match="line 1 has a value of more than 1,000,000 characters"):
        await scene.services.owner_import.take_in(scene.target, Endless())  # type: ignore[arg-type]
    assert given < 5_000_000


def archive_of(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def manifest(**counts: int) -> bytes:
    return json.dumps({"format": "recollect-export", "version": 1, "counts": counts}).encode()


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"messages.jsonl": b""}, "file is an archive without manifest.json"),
        ({"manifest.json": b"[]"}, "manifest.json must be a JSON object"),
        ({"manifest.json": b"{"}, "manifest.json must be JSON"),
        ({"manifest.json": b"{}"}, "format must be"),
        ({"manifest.json": manifest(facts=1)}, "facts.jsonl has 0 items, and manifest.json says 1"),
        (
            {"manifest.json": manifest(profile=1), "profile.jsonl": b"\n{\n"},
            "profile.jsonl:2 is no JSON",
        ),
        (
            {"manifest.json": manifest(profile=1), "profile.jsonl": b"\xff\n"},
            "profile.jsonl:1 must be UTF-8",
        ),
        (
            {"manifest.json": manifest(profile=1), "profile.jsonl": b" " * 2_000_000 + b"{}"},
            "profile.jsonl:1 is longer than 1,000,000 bytes",
        ),
        (
            {"manifest.json": manifest(profile=1), "profile.jsonl": b"{}\n"},
            "profile.jsonl:1.key must be a text",
        ),
    ],
)
async def test_archives_that_are_wrong_are_refused(
    files: dict[str, bytes], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "MAX_VALUE", 1_000_000)
    scene = Scene()
    with pytest.raises(InvalidInput) as refused:
        await imported(scene.services, scene.target, archive_of(files))
    assert str(refused.value).startswith(problem), str(refused.value)


async def test_a_damaged_archive_is_refused() -> None:
    scene = Scene()
    await scene.document()
    damaged = bytearray(await exported_bytes(scene.services, scene.source, "zip"))
    place = damaged.index(b"messages.jsonl") + 40
    damaged[place] ^= 0xFF
    with pytest.raises(InvalidInput, match="file is a broken archive"):
        await imported(scene.services, scene.target, bytes(damaged))


async def test_ids_that_come_twice_are_stored_once() -> None:
    scene = Scene()
    document = await scene.document()
    first = document["sessions"][0]
    first["messages"] += first["messages"]
    second = json.loads(json.dumps(document["sessions"][1]))
    second["session_id"] = str(uuid4())
    for message in second["messages"]:
        message["session_id"] = second["session_id"]
    document["sessions"] += [first, second]
    report = await imported(scene.services, scene.target, document)
    assert report.sessions == Outcome(added=3, known=1)
    assert report.messages == Outcome(added=8, known=12, conflicting=4)
    assert await scene.stored() == (3, 8)


async def test_what_was_withheld_from_the_export_is_left_out() -> None:
    scene = Scene()
    document = await scene.document()
    message_of(document)["visibility"] = "nothing"
    report = await imported(scene.services, scene.target, document)
    assert (report.withheld, report.messages.added) == (1, 7)


@for_each(
    ("retention", "expires_at", "end"),
    [
        ("none", None, None),
        ("none", seconds_on(9_999_999), seconds_on(9_999_999)),
        ("none", seconds_on(1), "expired"),
        ("fixed:40", None, FIRST_MOMENT + timedelta(days=40)),
        ("fixed:40", seconds_on(9_999_999), FIRST_MOMENT + timedelta(days=40)),
        ("fixed:7", None, "expired"),
        ("sliding:90", None, FIRST_MOMENT + timedelta(days=90)),
    ],
)
async def test_a_session_ends_as_it_says_or_as_is_usual_here(
    retention: str, expires_at: datetime | None, end: datetime | str | None
) -> None:
    source, scene = Scene(), Scene(retention=retention)
    document = await source.document()
    session = document["sessions"][0]
    document["sessions"] = [session]
    session["expires_at"] = expires_at and expires_at.isoformat()
    report = await imported(scene.services, scene.target, document)
    if isinstance(end, str):
        assert (report.expired, report.sessions.added, report.messages.added) == (1, 0, 0)
        return
    (stored,) = (await exported(scene.services, scene.target))["sessions"]
    assert stored["expires_at"] == (end and end.isoformat().replace("+00:00", "Z"))


async def test_progress_is_told_batch_by_batch() -> None:
    scene = Scene()
    await start_conversation(scene.stores, scene.source, ("user", "assistant") * 600)
    document = await exported_bytes(scene.services, scene.source)
    told: list[int] = []
    await scene.services.owner_import.take_in(
        scene.target,
        io.BytesIO(document),
        progress=lambda report: told.append(report.messages.added),
    )
    assert told == [499, 999, 1200]


async def test_what_is_imported_is_masked_as_what_is_said_here() -> None:
    scene = Scene()
    document = await scene.document()
    address = "anna@acme.nl"
    for session in document["sessions"]:
        session["name"] = session["messages"][0]["content"] = f"Mail of {address}"
    document["facts"][0]["content"] = document["facts"][0]["history"][0]["content"] = address
    masking = MaskingPolicies(usual=MaskingMode.MASK, key=b"a key of a test, long enough")
    services = transfer_services(
        scene.stores, clock=scene.clock, policies=Policies(masking=masking)
    )

    await imported(services, scene.target, document)

    stored = await exported_bytes(services, scene.target)
    assert address.encode() not in stored
    assert stored.count(b"Mail of [email:") == 4
