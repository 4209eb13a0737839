"""Without a model, a chat says what it has forgotten, and does not quote it again."""

import pytest

from recollect import Memory
from recollect.handles.session import SessionHandle
from recollect.services.facts import quotable
from support.tables import for_each


async def answer(session: SessionHandle, question: str) -> str:
    return (await session.ask(question)).answer.content


async def test_a_forgotten_fact_is_named_and_never_quoted_again() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        await answer(session, "Remember that I live in Ghent.")
        await answer(session, "Remember that I have a dog called Bruno.")
        assert "Ghent" in await answer(session, "Do I live in Ghent or in Hull?")

        forgotten = await answer(session, "Forget that I live in Ghent.")
        assert "This is forgotten" in forgotten
        assert "“I live in Ghent.”" in forgotten

        later = await memory.session(user="alice")
        for one in (session, later):
            asked = await answer(one, "Where do I live, and who lives with me?")
            assert "Ghent" not in asked
        known = await answer(session, "What do you know about me?")
        assert "Bruno" in known
        assert "Ghent" not in known
        assert await memory.history("alice").count() == 14, "no message is deleted"


async def test_a_restored_fact_is_quoted_again() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        await answer(session, "Onthoud dat ik in Gent woon.")
        assert "“Ik woon in Gent.”" in await answer(session, "Vergeet waar ik woon.")
        facts = memory.facts("alice")
        (fact,) = (await facts.list(status="retracted")).items
        await facts.restore(fact.fact_id)
        elsewhere = await memory.session(user="alice")
        assert "Gent" in await answer(elsewhere, "Woon ik in Gent?")


async def test_an_earlier_value_of_what_was_forgotten_is_not_quoted() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        for told in ("Remember that I live in Hull.", "Remember that I live in Ghent."):
            await answer(session, told)
        assert "Ghent" in await answer(session, "Forget where I live.")
        asked = await answer(await memory.session(user="alice"), "Do I live in Hull?")
        assert "> " not in asked


async def test_what_is_told_after_forgetting_is_quoted_though_it_replaces_another_value() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        for told in (
            "Remember that I live in Hull. The parrot talked all night.",
            "Forget where I live.",
            "Remember that I live in Ghent. The tortoise slept all night.",
            "Remember that I live in Bath. The canary sang all night.",
        ):
            await answer(session, told)
        assert [one.content for one in (await memory.facts("alice").list()).items] == [
            "I live in Bath."
        ]
        assert "Bath" in await answer(session, "When did the canary sing?")
        assert "Ghent" in await answer(session, "Where did the tortoise sleep?")
        assert "Hull" not in await answer(session, "What did the parrot say?")


async def test_what_another_user_forgot_changes_nothing() -> None:
    async with Memory.in_memory() as memory:
        for user in ("alice", "bob"):
            session = await memory.session(user=user)
            await answer(session, "Remember that I live in Ghent.")
        await answer(session, "Forget everything you know about me.")
        alice = await memory.session(user="alice")
        assert "Ghent" in await answer(alice, "Do I live in Ghent?")
        assert "Nothing is known" in await answer(session, "What do you know about me?")


async def test_what_was_forgotten_before_many_other_changes_is_not_quoted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quotable, "MAX_LIMIT", 3)  # facts that are read at once
    async with Memory.in_memory() as memory:
        session, facts = await memory.session(user="alice"), memory.facts("alice")
        await answer(session, "Remember that I live in Ghent, near the old harbour.")
        (fact,) = (await facts.list()).items
        await facts.forget(fact.fact_id)
        for number in range(7):
            await facts.add(f"Crate {number} is in warehouse {7 * number}.")
        assert "Ghent" not in await answer(session, "Which city near the harbour do I live in?")


async def test_which_fact_is_meant_is_asked_of_all_facts_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quotable, "_MOST_KNOWN", 3)  # facts that an answer reads
    async with Memory.in_memory() as memory:
        session, facts = await memory.session(user="alice"), memory.facts("alice")
        for told in ("My bike is red.", "I sold my bike to Tom."):
            await facts.add(told)
        for number in range(7):
            await facts.add(f"Crate {number} is in warehouse {7 * number}.")

        asked = await answer(session, "Forget my bike")
        assert asked.startswith("Nothing is forgotten yet")
        assert "My bike is red." in asked
        assert "I sold my bike to Tom." in asked
        assert len((await facts.list()).items) == 9


@for_each(
    ("told", "command", "forgotten"),
    [
        ("I have a dog called Rex.", "Forget my dog", "This is forgotten"),
        ("My wife's name is Anna.", "Forget my wife's name", "This is forgotten"),
        ("Ik heb een hond die Rex heet.", "Vergeet mijn hond", "Dit is vergeten"),
        ("Meine Frau heißt Anna.", "Vergiss den Namen meiner Frau", "Das ist vergessen"),
        ("J'ai un chien qui s'appelle Rex.", "Oublie mon chien", "Ceci est oublié"),
        ("Tengo un perro que se llama Rex.", "Olvida mi perro", "Esto queda olvidado"),
    ],
)
async def test_a_thing_that_the_user_has_is_forgotten_by_its_noun(
    told: str, command: str, forgotten: str
) -> None:
    async with Memory.in_memory() as memory:
        session, facts = await memory.session(user="alice"), memory.facts("alice")
        await answer(session, told)
        await memory.catch_up()
        assert [one.content for one in (await facts.list()).items] == [told]
        assert (await answer(session, command)).startswith(forgotten)
        assert not (await facts.list()).items


@pytest.mark.parametrize(
    "said",
    [
        "Never mind, forget it",
        "Olvídalo todo",
        "Laat maar, vergeet het",
        "Egal, vergiss es",
        "Laisse tomber, oublie ça",
        "Delete everything",
    ],
)
async def test_what_drops_a_matter_or_names_nothing_ends_no_fact(said: str) -> None:
    async with Memory.in_memory() as memory:
        session, facts = await memory.session(user="alice"), memory.facts("alice")
        await answer(session, "Remember that I live in Ghent.")
        await answer(session, said)
        await memory.catch_up()
        assert [one.content for one in (await facts.list()).items] == ["I live in Ghent."]


async def test_a_command_to_forget_is_recalled_behind_what_was_said() -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        told = "We walked with the dog along the river for the whole afternoon in the rain."
        for said in (told, "Olvida mi dog", "Forget my dog"):
            await answer(session, said)
        await memory.catch_up()
        results = (await memory.recall("my dog", user="alice")).items
        assert results[0].text == told
        assert {one.text for one in results[1:]} == {"Olvida mi dog", "Forget my dog"}
        scores = [one.score for one in results]
        assert scores == sorted(scores, reverse=True)


@for_each(
    ("told", "language"),
    [
        ("I live in Ghent, but don't remember that.", "en"),
        ("Off the record: I live in Ghent.", "en"),
        ("Onthoud dit niet: ik woon in Ghent.", "nl"),
    ],
)
async def test_what_is_not_to_be_remembered_is_neither_learnt_nor_quoted_elsewhere(
    told: str, language: str
) -> None:
    async with Memory.in_memory() as memory:
        replied = await answer(await memory.session(user="alice"), told)
        await memory.catch_up()
        asked = "Where do I live?" if language == "en" else "Waar woon ik?"
        later = await answer(await memory.session(user="alice"), asked)

        assert ("not be kept" if language == "en" else "niet als feit bewaard") in replied
        assert "Ghent" not in later
        assert (await memory.facts("alice").list()).items == ()
        assert await memory.history("alice").count() == 4, "no message is deleted"


@for_each("told", ["Don't remember that.", "Off the record.", "Onthoud dat niet."])
async def test_the_message_after_takes_back_what_was_told(told: str) -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        for one in ("I'm vegan.", "I live in Ghent.", told):
            await session.add_exchange(one, "Okay.")
            await memory.catch_up()

        known = (await memory.facts("alice").list()).items
        assert [fact.content for fact in known] == ["I'm vegan."]


@for_each(
    ("told", "command"),
    [
        ("My wife is called Ann.", "Forget everything about my wife."),
        ("Mijn vrouw heet Ann.", "Vergeet wat ik over mijn vrouw heb gezegd."),
        ("I work at Ann's.", "Forget what I said about my job."),
        ("My wife is called Ann.", "Please delete that from your memory."),
        ("Mijn vrouw heet Ann.", "Haal dat uit je geheugen."),
        ("Mi mujer se llama Ann.", "Olvida lo que te dije."),
    ],
)
async def test_what_is_known_of_a_topic_or_was_just_told_is_forgotten(
    told: str, command: str
) -> None:
    async with Memory.in_memory() as memory:
        session = await memory.session(user="alice")
        for one in ("I'm vegan.", told):
            await session.add_exchange(one, "Okay.")
            await memory.catch_up()
        assert "Ann" in await answer(session, command)

        known = (await memory.facts("alice").list()).items
        assert [fact.content for fact in known] == ["I'm vegan."]
