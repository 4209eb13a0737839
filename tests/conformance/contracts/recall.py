"""What every recall index promises about scores."""

import math

import pytest

from conformance.contracts.recall_shared import (
    CLOSE,
    EAST,
    MODEL,
    NORTH,
    NORTH_EAST,
    Log,
    index_of,
    search,
)
from recollect.domain.recall.entry import (
    REACH,
    RecallFilter,
    RecallQuery,
)
from recollect.domain.recall.ranking import Bm25Index
from recollect.domain.vectors import Vector
from recollect.ports import Stores


class RecallIndexContract:
    """Finds exactly the owner's best entries. A fixture `stores` names the engine."""

    async def test_an_entry_comes_back_as_it_was_given(self, stores: Stores) -> None:
        log = await Log.start(stores)
        said = await log.say("Ann: we sold skis", speaker="Ann", tables=("shop.sales", "shop.skis"))
        (found,) = await search(stores, log.scope)
        assert found.entry == said.entry

    async def test_words_score_by_bm25_over_the_owners_entries(self, stores: Stores) -> None:
        log, other = await Log.start(stores), await Log.start(stores)
        said = [
            await log.say("skis"),
            await log.say("skis skis and a sledge"),
            await log.say("a sledge", vector=None),
            await log.say("nothing of all that"),
        ]
        await other.say("skis")
        scores = Bm25Index(one.terms for one in said).scores({"skis": 1.0, "sledge": 1.0})
        expected = {one.entry.text: scores.get(at, 0.0) for at, one in enumerate(said)}
        found = {
            one.entry.text: one.words[one.own]
            for one in await search(stores, log.scope, "skis sledge")
        }
        assert found == pytest.approx(expected, rel=1e-4)
        assert found["nothing of all that"] == 0

    async def test_meaning_scores_by_the_cosine(self, stores: Stores) -> None:
        log = await Log.start(stores)
        for text, vector in (("same", EAST), ("near", NORTH_EAST), ("far", NORTH)):
            await log.say(text, vector)
        await log.say("opposite", (-1.0, 0.0, 0.0))
        found = {one.entry.text: one.meanings[one.own] for one in await search(stores, log.scope)}
        expected = {"same": 1, "near": 0.8, "far": 0, "opposite": -1}
        assert found == pytest.approx(expected, abs=CLOSE)

    async def test_an_entry_without_a_vector_is_found_by_its_words(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await log.say("skis", vector=None)
        (found,) = await search(stores, log.scope, "skis")
        assert found.meanings[found.own] is None
        assert found.words[found.own] > 0
        assert await log.texts("sledge") == []

    async def test_a_question_without_a_vector_looks_by_words_alone(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await log.say("skis")
        await log.say("sledge")
        (found,) = await search(stores, log.scope, "skis", None)
        assert found.entry.text == "skis"
        assert found.meanings[found.own] is None

    async def test_a_words_weight_multiplies_its_score(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await log.say("skis")
        await log.say("sledge")
        terms = {"skis": 1.0, "sledge": 0.25, "absent": 3.0}
        query = RecallQuery(terms=terms, model=None, vector=None, count=9)
        found = await index_of(stores).search(log.scope, query)
        lexical = {one.entry.text: one.words[one.own] for one in found}
        assert lexical["sledge"] == pytest.approx(lexical["skis"] / 4, rel=1e-4)

    async def test_a_question_without_words_and_vector_finds_nothing(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await log.say("skis")
        assert await search(stores, log.scope, "", None) == ()

    async def test_vectors_of_different_models_are_never_compared(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await log.say("new", EAST, model="model-b:3")
        await log.say("old", EAST, model=MODEL)
        found = {
            one.entry.text: one.meanings[one.own]
            for one in await search(stores, log.scope, "old new", model="model-b:3")
        }
        assert found["old"] is None
        assert found["new"] == pytest.approx(1, abs=CLOSE)

    async def test_vectors_of_other_lengths_are_not_compared(self, stores: Stores) -> None:
        log = await Log.start(stores)
        await log.say("short", (1.0, 0.0))
        (found,) = await search(stores, log.scope, "short", EAST)
        assert found.meanings[found.own] is None

    @pytest.mark.parametrize("dimensions", [2, 384, 1536, 4000])
    async def test_vectors_of_two_to_four_thousand_dimensions_are_found(
        self, stores: Stores, dimensions: int
    ) -> None:
        log = await Log.start(stores)
        level: Vector = (1 / math.sqrt(dimensions),) * dimensions
        first: Vector = (1.0, *(0.0,) * (dimensions - 1))
        await log.say("level", level)
        await log.say("first", first)
        found = {
            one.entry.text: one.meanings[one.own]
            for one in await search(stores, log.scope, "", first)
        }
        assert found["first"] == pytest.approx(1, abs=CLOSE)
        assert found["level"] == pytest.approx(1 / math.sqrt(dimensions), abs=CLOSE)

    async def test_the_best_by_words_and_the_best_by_meaning_are_found(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        for number in range(8):
            angle = number / 10
            await log.say(f"turned {number}", (math.cos(angle), math.sin(angle), 0.0))
        for number in range(1, 5):
            await log.say("skis " * number + f"and {number} more things", vector=NORTH)
        found = await search(stores, log.scope, "skis", count=2)
        texts = {one.entry.text for one in found}
        assert {"turned 0", "turned 1"} <= texts
        by_words = sorted(one.words[one.own] for one in found if one.words[one.own])
        everything = await search(stores, log.scope, "skis")
        best = sorted((one.words[one.own] for one in everything), reverse=True)[:2]
        assert by_words[-2:] == pytest.approx(sorted(best), rel=1e-4)

    async def test_candidates_include_the_scores_of_neighbouring_entries(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        for number in range(7):
            text = f"skis {number}" if number == 3 else f"w{number}"
            await log.say(text, vector=EAST, speaker="Ann")
        elsewhere = await Log.start(stores, log.scope)
        await elsewhere.say("w7", speaker="Ann")
        found = {one.entry.text: one for one in await search(stores, log.scope, "skis")}
        middle, last, best = found["w4"], found["w6"], found["skis 3"]
        assert middle.own == REACH
        assert [one > 0 for one in middle.words] == [False, True, False, False, False]
        assert middle.words[1] == best.words[best.own]
        assert middle.meanings[1] == best.meanings[best.own]
        assert (last.own, len(last.words)) == (REACH, REACH + 1)
        assert (found["w7"].own, len(found["w7"].words)) == (0, 1)
        assert (found["w1"].own, len(found["w1"].words)) == (1, 1 + 1 + REACH)

    async def test_an_exchange_stands_for_itself(self, stores: Stores) -> None:
        log = await Log.start(stores)
        for text in ("skis 0", "skis 1", "skis 2"):
            await log.say(text, vector=EAST)
        found = await search(stores, log.scope, "skis")
        assert [(one.own, len(one.words), len(one.meanings)) for one in found] == [(0, 1, 1)] * 3

    async def test_in_a_log_of_speakers_the_neighbours_of_the_best_messages_are_candidates_too(
        self, stores: Stores
    ) -> None:
        log = await Log.start(stores)
        for number in range(6):
            speaker = None if number == 1 else "Ann"
            await log.say(f"skis {number}" if number == 2 else f"w{number}", speaker=speaker)
        found = {one.entry.text: one for one in await search(stores, log.scope, "skis", None)}
        assert sorted(found) == ["skis 2", "w3"], "w1 has no speaker: it stands for itself"
        beside = found["w3"]
        assert beside.own == REACH
        assert [one > 0 for one in beside.words] == [False, True, False, False, False]
        filters = RecallFilter(without=frozenset(beside.entry.message_ids))
        (left,) = await search(stores, log.scope, "skis", None, filters=filters)
        assert left.entry.text == "skis 2"
