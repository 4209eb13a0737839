import inspect
from pathlib import Path
from uuid import uuid4

import pytest

from recollect import (
    FactConflict,
    Facts,
    History,
    Memory,
    NotFound,
    Profile,
    SessionHandle,
    VersionConflict,
    blocking,
)
from support.tables import for_each


def test_the_blocking_memory_does_what_the_async_one_does(shared_home: Path) -> None:
    user = f"user-{uuid4()}"
    with blocking.Memory.open(home=shared_home) as memory:
        session = memory.session("chat-1", user=user)
        session.add("user", "Show me total sales by region for 2024")
        session.add("assistant", "North 2.5M, South 1.8M", sql_query="SELECT 1")
        assert [message.role for message in session.last()] == ["user", "assistant"]
        assert memory.session("chat-1", user=user).id == session.id
        assert memory.is_ready()
        session.delete()
        with pytest.raises(NotFound):
            session.info()


def test_the_blocking_memory_for_tests_needs_no_database() -> None:
    with blocking.Memory.in_memory() as memory:
        memory.session("chat-1", user="alice").add_exchange("Hello?", "Hello.")
        history = memory.history("alice")
        assert history.count() == 2
        history.add("user", "And in no session at all?")
        assert memory.session(history.session_id, user="alice").last()[0].turn_number == 1


def test_a_blocking_profile_is_set_merged_read_and_deleted() -> None:
    with blocking.Memory.in_memory() as memory:
        profile = memory.profile(user="alice")
        first = profile.set("units", {"length": "km"}, version=0)
        second = profile.merge("units", {"mass": "kg"}, version=first.version)
        assert profile.get("units") == second
        assert profile.list() == (second,)
        assert second.value == {"length": "km", "mass": "kg"}
        with pytest.raises(VersionConflict):
            profile.set("units", {}, version=first.version)
        profile.delete("units")
        assert profile.get("units") is None
        with pytest.raises(NotFound):
            profile.delete("units")
        profile.set("a", None)
        assert memory.profile("alice", tenant="other").list() == ()
        assert profile.clear() == 1


def test_blocking_facts_are_added_found_changed_forgotten_and_moved() -> None:
    with blocking.Memory.in_memory() as memory:
        facts = memory.facts(user="alice")
        fact = facts.add("We report in euros.", type="procedure")
        with pytest.raises(FactConflict):
            facts.add("we report in EUROS")
        assert [found.fact for found in facts.search("euros?")] == [fact]
        changed = facts.update(fact.fact_id, priority="critical", version=1)
        with pytest.raises(VersionConflict):
            facts.update(fact.fact_id, priority="low", version=1)
        facts.forget(fact.fact_id)
        assert facts.list().items == ()
        assert facts.restore(str(fact.fact_id)).version == 4
        exported = list(facts.export())
        other = memory.facts("alice", tenant="other")
        assert (other.import_(exported).added, other.import_(exported).skipped) == (1, 1)
        (moved,) = other.list(priority="critical").items
        assert (moved.content, moved.type) == (changed.content, changed.type)
        assert [line.kind for line in facts.get(fact.fact_id).history][-1] == "restored"
        assert facts.stats().total == facts.clear() == 1
        with pytest.raises(NotFound):
            facts.get(fact.fact_id)


TWINS = [
    *(blocking.Memory, blocking.SessionHandle, blocking.History),
    *(blocking.Profile, blocking.Facts),
]
ORIGINALS = [Memory, SessionHandle, History, Profile, Facts]


@for_each("twin", TWINS)
def test_blocking_and_async_memory_have_the_same_methods_and_docstrings(twin: type) -> None:
    (original,) = (one for one in ORIGINALS if one.__name__ == twin.__name__)
    names = {name for name in vars(original) if not name.startswith("_")}
    assert names == {name for name in vars(twin) if not name.startswith("_")}
    for name in names:
        ours, theirs = getattr(original, name), getattr(twin, name)
        assert inspect.getdoc(ours) == inspect.getdoc(theirs)
        if callable(ours):
            parameters = inspect.signature(ours).parameters
            assert parameters == inspect.signature(theirs).parameters
