"""Facts found by a language model: only what it can prove is taken."""

import json
from collections.abc import Sequence
from uuid import uuid4

import pytest

from recollect.domain.conversation.message import NO_DETAILS, Message, Role
from recollect.domain.facts.reading.prompting import ANSWER_SCHEMA
from recollect.domain.facts.slots import Slot
from recollect.domain.facts.statement import Operation, Statement
from recollect.errors import ModelUnavailable
from recollect.ports.models import JsonSchema, Prompt
from recollect.services.facts.llm_extraction import LlmFactExtractor
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

TEXT = "Hi, ik werk bij Philips in Eindhoven. Mijn wachtwoord is Zomer2024! Wat is een VAR?"
WORK = {"quote": "ik werk bij Philips", "content": "Werkt bij Philips.", "slot": "employer"}


def a_message(role: Role, content: str) -> Message:
    return Message(
        message_id=uuid4(),
        session_id=uuid4(),
        sequence=1,
        turn_number=1,
        role=role,
        content=content,
        metadata={},
        details=NO_DETAILS,
        created_at=FIRST_MOMENT,
    )


class ScriptedModel:
    """Answers with one text after the other; an error among them is raised."""

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.prompts: list[str] = []
        self.schemas: list[JsonSchema | None] = []

    async def complete(
        self,
        messages: Sequence[Prompt],
        *,
        max_tokens: int,  # the port's
        timeout: float,  # noqa: ASYNC109  # the port's
        schema: JsonSchema | None = None,
    ) -> str:
        self.schemas.append(schema)
        self.prompts.append(messages[-1].content)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Fallback:
    """Finds nothing, and counts how often it was asked."""

    calls = 0

    async def extract(
        self, messages: Sequence[Message], *, before: Sequence[Message] = ()
    ) -> tuple[Statement, ...]:
        self.calls += 1
        return ()


async def extract(model: ScriptedModel, *others: Message) -> tuple[Statement, ...]:
    extractor = LlmFactExtractor(model=model, fallback=Fallback())
    return await extractor.extract([a_message(Role.USER, TEXT), *others])


async def test_a_fact_with_a_verbatim_quote_is_taken() -> None:
    model = ScriptedModel(f"Here you are:\n```json\n{json.dumps([WORK])}\n```")
    (statement,) = await extract(model)

    assert (statement.content, statement.slot) == ("Werkt bij Philips.", Slot.EMPLOYER)
    assert statement.operation is Operation.ADD
    assert TEXT in json.loads(model.prompts[0].removeprefix("USER: "))


async def test_the_model_is_held_to_a_schema_of_what_is_read() -> None:
    model = ScriptedModel(json.dumps({"facts": [WORK]}))
    (statement,) = await extract(model)

    (schema,) = model.schemas
    assert schema is not None
    item = ANSWER_SCHEMA["properties"]["facts"]["items"]
    assert schema.definition is ANSWER_SCHEMA
    assert set(item["required"]) == item["properties"].keys() == {*WORK, "operation"}
    assert item["properties"]["slot"]["enum"] == [*Slot]
    assert statement.content == "Werkt bij Philips."


@pytest.mark.parametrize("failure", [ModelUnavailable("status 500"), "Sure! You work at Philips."])
async def test_a_model_that_fails_with_a_schema_is_asked_once_more_without(
    failure: str | Exception,
) -> None:
    model = ScriptedModel(failure, json.dumps([WORK]))
    (statement,) = await extract(model)

    assert [schema is not None for schema in model.schemas] == [True, False]
    assert statement.content == "Werkt bij Philips."


@for_each(
    "item",
    [
        {**WORK, "quote": "ik werk bij Phillips"},
        {**WORK, "quote": "een lijst"},
        {**WORK, "quote": ""},
        {**WORK, "quote": "Wat is een VAR?"},
        {"quote": "Mijn wachtwoord is Zomer2024!", "content": "Wachtwoord is Zomer2024!."},
        {"quote": 1, "content": "x"},
        "Works at Philips",
        None,
    ],
)
async def test_what_the_user_did_not_say_or_must_not_be_stored_is_dropped(item: object) -> None:
    said = a_message(Role.ASSISTANT, "Hier is een lijst.")
    assert await extract(ScriptedModel(json.dumps([item])), said) == ()


@for_each(
    "written",
    [
        "x" * 501,
        "Werkt sinds 2019 bij Philips.",
        "Werkt niet bij Philips.",
        "Lives in Zwolle and commutes daily.",
        "Werk je bij Philips?",
        " ",
    ],
)
async def test_a_sentence_that_says_something_else_gives_way_to_the_quote(written: str) -> None:
    (statement,) = await extract(ScriptedModel(json.dumps([{**WORK, "content": written}])))
    assert statement.content == "Ik werk bij Philips."


@for_each(
    ("text", "quote", "is_taken"),
    [
        ("Hi, I'm Samantha from Derby.", "I'm Sam", False),
        ("Hi, I'm Samantha, but I'm Sam to friends.", "I'm Sam", True),
        ("Mijn vriendin houdt van thee.", "in houdt van thee", False),
        ("我在阿姆斯特丹工作。", "在阿姆斯特丹工作", True),
    ],
)
async def test_a_quote_cuts_no_word(text: str, quote: str, *, is_taken: bool) -> None:
    said = {"quote": quote, "content": quote, "slot": "other"}
    extractor = LlmFactExtractor(model=ScriptedModel(json.dumps([said])), fallback=Fallback())
    statements = await extractor.extract([a_message(Role.USER, text)])
    assert [one.quote for one in statements] == [quote] * is_taken


async def test_what_a_user_denies_stays_denied() -> None:
    denied = a_message(Role.USER, "Fisch und Sellerie, die vertrage ich nicht.")
    said = {"quote": denied.content, "content": "Verträgt Fisch und Sellerie.", "slot": "diet"}
    extractor = LlmFactExtractor(model=ScriptedModel(json.dumps([said])), fallback=Fallback())
    (statement,) = await extractor.extract([denied])
    assert statement.content == denied.content


async def test_an_unknown_slot_is_another() -> None:
    (statement,) = await extract(ScriptedModel(json.dumps([{**WORK, "slot": "shoes"}])))
    assert statement.slot is Slot.OTHER


async def test_an_answer_that_is_no_list_is_asked_for_again() -> None:
    model = ScriptedModel("I found nothing.", json.dumps([WORK]))
    assert len(await extract(model)) == 1


@for_each("answer", ["[[[", "no", ModelUnavailable("late"), "[" * 5000 + "]" * 5000])
async def test_a_model_that_fails_leaves_it_to_the_small_one(answer: str | Exception) -> None:
    fallback = Fallback()
    extractor = LlmFactExtractor(model=ScriptedModel(answer, answer), fallback=fallback)
    assert await extractor.extract([a_message(Role.USER, TEXT)]) == ()
    assert fallback.calls == 1
