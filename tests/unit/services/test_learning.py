"""Learning facts from conversations, on the engine that keeps everything in this process."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from recollect import concurrency
from recollect.domain.facts.fact import ChangeKind, FactSource, FactStatus, FactType
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Relation
from recollect.services.facts import learning
from recollect.testing import WordEmbedder
from support.examples import a_message
from support.facts.learning_scene import Scene
from support.facts.scripted_models import Line

ACME = "I work at ACME. What is a payslip?"
GLOBEX = "I've changed jobs, I'm at Globex now."
MOVED = "I moved to Leiden."
BLIND = "I am blind, so please never use tables."
SCRIPT: Mapping[str, Sequence[Line]] = {
    ACME: [("I work at ACME", Slot.EMPLOYER)],
    GLOBEX: [("I'm at Globex now", Slot.EMPLOYER, Operation.CHANGE)],
    MOVED: [("I moved to Leiden", Slot.EMPLOYER, Operation.CHANGE)],  # misread
    "I work at ACME, as I said.": [("I work at ACME", Slot.EMPLOYER)],
    "I have two cats.": [("I have two cats", Slot.PET)],
    "My cats are called Mies and Tom.": [("My cats are called Mies and Tom", Slot.PET)],
    "My brother is Tom. He got fired.": [
        ("My brother is Tom", Slot.FAMILY),
        ("He got fired", Slot.EMPLOYER),
    ],
    "I'm vegan.": [("I'm vegan", Slot.DIET)],
    "Take back that I'm vegan.": [("I'm vegan", Slot.DIET, Operation.RETRACT)],
    "This week I'm vegan too.": [("I'm vegan too", Slot.DIET)],
    f"Hello! {BLIND} What is a cube?": [("I am blind", Slot.HEALTH)],
    "I work in a team. From now on answer in Dutch, Sam.": [
        ("I work in a team", Slot.TEAM),
        ("answer in Dutch", Slot.ANSWER_LANGUAGE),
    ],
}
RELATIONS = {
    ("My cats are called Mies and Tom.", "I have two cats."): Relation.COMPLEMENT,
    ("I'm vegan.", "I'm vegan."): Relation.RETRACTION,
    ("I'm at Globex now.", "I work at ACME."): Relation.CONTRADICTION,
}


@pytest.fixture
def scene() -> Scene:
    return Scene(SCRIPT, RELATIONS)


async def test_a_fact_has_the_users_words_as_evidence(scene: Scene) -> None:
    await scene.say(ACME)

    (fact,) = await scene.active()
    assert (fact.content, fact.type, fact.slot) == ("I work at ACME.", FactType.FACT, "employer")
    assert fact.evidence is not None
    assert fact.evidence.quote == "I work at ACME"
    assert fact.source is FactSource.EXTRACTED


async def test_a_sentence_that_does_not_say_of_whom_it_is_true_is_no_fact(scene: Scene) -> None:
    await scene.say("My brother is Tom. He got fired.")

    assert [fact.content for fact in await scene.active()] == ["My brother is Tom."]


async def test_what_is_said_again_is_not_stored_again(scene: Scene) -> None:
    await scene.say(ACME, "I work at ACME, as I said.")

    (fact,) = await scene.active()
    kinds = [change.kind for change in await scene.stores.facts.history(scene.scope, fact.fact_id)]
    assert kinds == [ChangeKind.CREATED, ChangeKind.REINFORCED]


async def test_a_new_value_supersedes_the_old_one(scene: Scene) -> None:
    await scene.say(ACME)
    (old,) = await scene.active()
    scene.clock.move(timedelta(days=30))
    await scene.say(GLOBEX)

    assert await scene.contents() == ["I'm at Globex now."]
    ended = await scene.stores.facts.get(scene.scope, old.fact_id)
    assert ended is not None
    assert (ended.status, ended.valid_to) == (FactStatus.SUPERSEDED, scene.clock.now())


async def test_what_has_nothing_to_do_with_a_value_leaves_it_and_is_learnt_as_well(
    scene: Scene,
) -> None:
    await scene.say(ACME, MOVED)

    assert sorted(await scene.contents()) == ["I moved to Leiden.", "I work at ACME."]


async def test_more_of_the_same_is_merged(scene: Scene) -> None:
    await scene.say("I have two cats.", "My cats are called Mies and Tom.")

    assert await scene.contents() == ["I have two cats; My cats are called Mies and Tom."]


async def test_what_is_withdrawn_no_longer_holds(scene: Scene) -> None:
    await scene.say("I'm vegan.", "Take back that I'm vegan.")

    assert await scene.contents() == []


async def test_a_turn_that_is_read_again_teaches_nothing_new(scene: Scene) -> None:
    session_id = await scene.say(ACME, GLOBEX)
    turns = await scene.stores.history.of_turns(scene.scope, {(session_id, 1)})
    await scene.services.messages.delete(scene.scope, session_id, turns[-1].message_id)
    await scene.learn()

    assert await scene.contents() == ["I'm at Globex now."], "ACME does not come back"


async def test_an_unanswered_question_teaches_when_it_is_answered(scene: Scene) -> None:
    session_id = UUID(int=2)
    append = scene.services.messages.append
    await append(scene.scope, session_id, [a_message("user", ACME)], starts_session=True)
    await scene.learn()
    assert await scene.contents() == []

    await append(scene.scope, session_id, [a_message("assistant", "A slip.")])
    await scene.learn()
    assert await scene.contents() == ["I work at ACME."]


async def test_the_turn_before_is_shown_to_the_extractor(scene: Scene) -> None:
    await scene.say("Hello!", ACME)

    assert scene.extractor.seen[-1] == ("Hello!", "I see.", ACME, "I see.")


async def test_a_turn_that_only_asks_is_not_read_for_facts(scene: Scene) -> None:
    await scene.say("What about 2015?")
    assert scene.extractor.seen == []


@pytest.mark.parametrize(
    "text",
    [
        "Remember that I park in garage 4.",
        "Can you remember that I park in garage 4?",
        "FYI, I park in garage 4.",
        "Onthoud dat ik fiets.",
        "Ten en cuenta que aparco en el garaje 4.",
    ],
)
async def test_a_command_is_done_before_the_answer(scene: Scene, text: str) -> None:
    messages = [a_message("user", text)]
    await scene.services.messages.append(scene.scope, UUID(int=3), messages, starts_session=True)

    (fact,) = await scene.active()
    assert fact.source is FactSource.STATED


async def test_forgetting_on_command_is_in_the_history(scene: Scene) -> None:
    await scene.say("I'm vegan.")
    (fact,) = await scene.active()
    scene.relations._script = {("I'm vegan.", "I'm vegan."): Relation.RETRACTION}
    message = [a_message("user", "Forget that I'm vegan.")]
    await scene.services.messages.append(scene.scope, UUID(int=1), message)

    assert await scene.active() == []
    history = await scene.stores.facts.history(scene.scope, fact.fact_id)
    assert [(one.kind, one.actor) for one in history] == [
        (ChangeKind.CREATED, "extractor"),
        (ChangeKind.RETRACTED, "user"),
    ]


async def test_who_opts_out_is_not_learnt_about(scene: Scene) -> None:
    await scene.services.profiles.set(scene.scope, "learn_facts", False)
    await scene.say(ACME, "Remember that I park in garage 4.", "Never use tables.")

    assert await scene.active() == []


async def test_who_opts_out_can_still_make_it_forget(scene: Scene) -> None:
    await scene.say("Remember that I park in garage 4.")
    await scene.services.profiles.set(scene.scope, "learn_facts", False)
    message = [a_message("user", "Forget that I park in garage 4.")]
    await scene.services.messages.append(scene.scope, UUID(int=1), message)

    assert await scene.active() == []


async def test_a_standing_instruction_is_a_fact_in_the_users_words(scene: Scene) -> None:
    await scene.say(f"Hello! {BLIND} What is a cube?")

    (fact,) = await scene.active()
    assert (fact.content, fact.slot, fact.confidence) == (BLIND, Slot.ANSWER_STYLE, 1.0)
    assert (fact.type, fact.source) == (FactType.PREFERENCE, FactSource.STATED)
    assert fact.evidence is not None
    assert fact.evidence.quote == BLIND


async def test_what_the_extractor_finds_within_an_instruction_is_not_told_twice(
    scene: Scene,
) -> None:
    await scene.say("I work in a team. From now on answer in Dutch, Sam.")

    assert {(fact.content, fact.slot) for fact in await scene.active()} == {
        ("I work in a team.", Slot.TEAM),
        ("From now on answer in Dutch, Sam.", Slot.ANSWER_STYLE),
    }


async def test_an_instruction_given_again_reinforces_and_another_language_takes_its_place(
    scene: Scene,
) -> None:
    await scene.say("Always answer in Dutch.", "always answer in dutch!")
    (dutch,) = await scene.active()
    history = await scene.stores.facts.history(scene.scope, dutch.fact_id)
    assert [change.kind for change in history] == [ChangeKind.CREATED, ChangeKind.REINFORCED]

    await scene.say("Never use tables.", "Antwoord voortaan in het Engels.")
    assert await scene.contents() == ["Never use tables.", "Antwoord voortaan in het Engels."]


async def test_an_instruction_can_be_forgotten_on_command(scene: Scene) -> None:
    await scene.say("Never use tables.", "Always show the SQL.")
    message = [a_message("user", "Forget that you should never use tables.")]
    await scene.services.messages.append(scene.scope, UUID(int=1), message)

    assert await scene.contents() == ["Always show the SQL."]


async def test_an_instruction_to_be_remembered_stands_at_once_and_once(
    scene: Scene,
) -> None:
    message = [a_message("user", "Remember: always answer in Dutch.")]
    await scene.services.messages.append(scene.scope, UUID(int=1), message, starts_session=True)
    (fact,) = await scene.active()
    assert (fact.content, fact.slot) == ("Always answer in Dutch.", Slot.ANSWER_LANGUAGE)

    await scene.services.messages.append(
        scene.scope, UUID(int=1), [a_message("assistant", "Goed.")]
    )
    await scene.learn()
    assert await scene.active() == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "Translate this: From now on answer in Dutch.",
        "From now on answer in Dutch. No wait, forget it.",
        "Let's do a role play. From now on answer in Dutch.",
        "From now on start with my password hunter2, it is Xk3!vv9Qz.",
    ],
)
async def test_the_gate_refuses_instructions_as_it_refuses_facts(scene: Scene, text: str) -> None:
    await scene.say(text)

    assert await scene.active() == []


async def test_in_a_log_people_instruct_each_other_and_not_the_assistant(
    scene: Scene,
) -> None:
    messages = [a_message("user", "Never use tables.", metadata={"speaker": "Ann"})]
    await scene.services.messages.append(scene.scope, UUID(int=1), messages, starts_session=True)
    await scene.say("What is a cube?")

    assert await scene.active() == []


async def test_a_secret_in_a_command_keeps_nothing_else_from_being_learnt(
    scene: Scene,
) -> None:
    await scene.say("Remember that my password is Xk3!vv9Qz. Never use tables.")

    assert await scene.contents() == ["Never use tables."]


async def test_workers_at_the_same_turn_learn_it_once(scene: Scene) -> None:
    indexing, learning = scene.services.indexing, scene.services.turn_learning
    assert indexing is not None
    assert learning is not None
    await scene.services.messages.append(
        scene.scope,
        UUID(int=4),
        [a_message("user", ACME), a_message("assistant", "A slip.")],
        starts_session=True,
    )
    await indexing.do_some()
    await asyncio.gather(*(learning.do_some() for _ in range(8)))

    assert await scene.contents() == ["I work at ACME."]


async def test_faded_facts_are_pruned_and_stay_in_the_history(scene: Scene) -> None:
    await scene.say(ACME, "I have two cats.")
    pruning = scene.services.fact_pruning
    cats = next(fact for fact in await scene.active() if fact.slot == Slot.PET)
    assert await pruning.count() == 0

    scene.clock.move(timedelta(days=180 * 3.4))  # 0.5 ** 3.4 is less than 0.1
    assert await pruning.count() == 1
    assert await pruning.prune() == 1

    assert await scene.contents() == ["I work at ACME."]
    history = await scene.stores.facts.history(scene.scope, cats.fact_id)
    assert (history[-1].kind, history[-1].actor) == (ChangeKind.PRUNED, "retention")


async def test_facts_are_embedded_again_by_another_model(scene: Scene) -> None:
    await scene.say(ACME)
    reembedding = scene.services.fact_reembedding
    assert reembedding is not None
    assert await reembedding.do_some() == 0

    class OtherEmbedder(WordEmbedder):
        model = "other"

    newer = replace(reembedding, embedder=OtherEmbedder())
    assert (await newer.do_some(), await newer.do_some()) == (1, 0)


@pytest.mark.parametrize(
    ("reading", "text"), [("outcome_of", "My dog died."), ("worth_comparing", "I'm vegan.")]
)
async def test_many_facts_are_matched_beside_the_event_loop(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, reading: str, text: str
) -> None:
    await scene.say("I have two cats.")
    threads: set[threading.Thread] = set()
    read = getattr(learning, reading)

    def watched(*arguments: object) -> object:
        threads.add(threading.current_thread())
        return read(*arguments)

    monkeypatch.setattr(learning, reading, watched)
    monkeypatch.setattr(concurrency, "AT_ONCE", 100)
    await scene.say(text)

    assert threads
    assert threading.main_thread() not in threads
