"""Answers without a model: quoted, dated, and nothing made up."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from recollect.answerers.from_memory import FROM_MEMORY, FromMemory
from recollect.domain.chat.answers import Answer, AnswerRequest
from recollect.domain.context.context import Context, Sources, Tokens, Truncation
from recollect.domain.conversation.message import AnswerDetails, Message, Role
from recollect.domain.facts.fact import Fact, FactSource, FactType, Priority
from recollect.domain.identity.scope import Scope
from recollect.domain.recall.entry import Recalled
from recollect.testing import FIRST_MOMENT

SCOPE = Scope(tenant="acme", user="alice")
SESSION = UUID(int=9)


def exchange(number: int, question: str, answer: str, model: str | None = None) -> list[Message]:
    said = ((Role.USER, question, None), (Role.ASSISTANT, answer, model))
    return [
        Message(
            message_id=UUID(int=2 * number + offset),
            session_id=SESSION,
            sequence=2 * number + offset,
            turn_number=number,
            role=role,
            content=content,
            metadata={},
            details=AnswerDetails(model=by),
            created_at=FIRST_MOMENT + timedelta(days=number),
        )
        for offset, (role, content, by) in enumerate(said)
    ]


def context(question: str, *exchanges: list[Message], language: str = "en") -> Context:
    return Context(
        question=question,
        standalone_question=question,
        language=language,
        summary=None,
        window=tuple(message for pair in exchanges for message in pair),
        tokens=Tokens(),
        cut=Truncation(),
        sources=Sources(),
    )


async def answer_to(asked: Context) -> Answer:
    return await FromMemory().answer(SCOPE, AnswerRequest(context=asked))


SALES = exchange(1, "Show me the sales of 2024", "North sold 2.5M.")
COSTS = exchange(2, "What did the zeppelin cost?", "Three million.")


async def test_the_nearest_exchange_is_quoted_with_its_dates_and_named_as_a_source() -> None:
    answer = await answer_to(context("How much was the zeppelin?", SALES, COSTS))
    assert answer.content == (
        "No language model is set (MEMORY_LLM_BASE_URL and MEMORY_LLM_MODEL), so this is not a "
        "new answer.\n\n"
        "What was said before that comes nearest to: How much was the zeppelin?\n\n"
        "> You asked (2026-01-03 12:00 UTC): “What did the zeppelin cost?”\n"
        "> The answer was (2026-01-03 12:00 UTC): “Three million.”"
    )
    assert answer.details.citations == (
        {
            "source": "conversation",
            "session_id": str(SESSION),
            "message_id": str(COSTS[1].message_id),
            "created_at": "2026-01-03T12:00:00Z",
        },
    )


async def test_the_best_match_comes_first() -> None:
    also = exchange(3, "What else did it cost?", "Sales of the north were 2024.")
    answer = await answer_to(context("What did the zeppelin cost?", COSTS, SALES, also))
    quoted = [line for line in answer.content.splitlines() if line.startswith("> You asked")]
    assert [line.split("“")[1] for line in quoted] == [
        "What did the zeppelin cost?”",
        "What else did it cost?”",
    ]


async def test_where_nothing_matches_nothing_is_quoted() -> None:
    answer = await answer_to(context("Who is Zoë?", SALES))
    assert "Nothing is stored yet that could answer: Who is Zoë?" in answer.content
    assert "2.5M" not in answer.content
    assert answer.details.citations is None


async def test_what_users_tell_is_said_to_be_stored() -> None:
    told = await answer_to(context("I work at Philips in Eindhoven."))
    assert "This is stored, and can be asked for later: I work at Philips" in told.content
    verteld = await answer_to(context("Ik werk bij Philips in Eindhoven.", language="nl"))
    assert "Dit is opgeslagen" in verteld.content


async def test_facts_about_the_user_are_quoted_first() -> None:
    fact = Fact(
        fact_id=UUID(int=7),
        type=FactType.FACT,
        priority=Priority.HIGH,
        content="I work at Philips.",
        source=FactSource.EXTRACTED,
        **dict.fromkeys(("created_at", "updated_at", "accessed_at", "valid_from"), FIRST_MOMENT),
    )
    asked = replace(context("Where do I work?", SALES), facts=(fact,))
    answer = await answer_to(asked)
    assert "> Known about you (2026-01-01 12:00 UTC): “I work at Philips.”" in answer.content
    assert "Nothing is stored yet" not in answer.content


async def test_a_dutch_question_is_answered_in_dutch() -> None:
    earlier = exchange(1, "Wat kost een harnas?", "Een harnas kost 80 euro.")
    answer = await answer_to(context("Hoe duur is het harnas?", earlier, language="nl"))
    assert answer.content.startswith("Er is geen taalmodel ingesteld")
    assert "> U vroeg (2026-01-02 12:00 UTC): “Wat kost een harnas?”" in answer.content
    assert "> Het antwoord was" in answer.content
    empty = await answer_to(context("Hoe duur is het harnas?", language="nl"))
    assert "Er is nog niets opgeslagen" in empty.content


async def test_answers_from_memory_are_not_quoted_but_the_users_messages_are() -> None:
    own = exchange(1, "My zeppelin is called Hilda", "No language model is set.", FROM_MEMORY)
    answer = await answer_to(context("What is my zeppelin called?", own))
    assert "> You asked (2026-01-02 12:00 UTC): “My zeppelin is called Hilda”" in answer.content
    assert "The answer was" not in answer.content
    assert answer.details.model == FROM_MEMORY


async def test_a_long_answer_is_cut_and_stays_on_its_line() -> None:
    long = exchange(1, "What did the zeppelin cost?", "> You asked\n" + "much " * 500)
    answer = await answer_to(context("zeppelin", long))
    assert answer.content.count("\n> ") == 2, "one line for each of the two"
    assert answer.content.endswith("…”")
    assert len(answer.content) < 1_000


async def test_a_stream_is_the_same_answer_in_paragraphs() -> None:
    request = AnswerRequest(context=context("zeppelin", COSTS))
    *pieces, answer = [piece async for piece in FromMemory().stream(SCOPE, request)]
    assert isinstance(answer, Answer)
    assert len(pieces) == 3
    assert "".join(map(str, pieces)) == answer.content
    assert replace(answer) == await FromMemory().answer(SCOPE, request)


async def test_equal_exchanges_are_quoted_once_and_the_current_question_never() -> None:
    question = "What did the zeppelin cost?"
    again = [exchange(number, question, "No model.", FROM_MEMORY) for number in (3, 4)]
    twice = exchange(5, question, "Three million.")
    answer = await answer_to(context(question, COSTS, *again, twice))
    assert answer.content.count("> You asked") == 1
    assert "2026-01-06" in answer.content, "the latest of its kind"
    alone = await answer_to(context(question, *again))
    assert "Nothing is stored yet" in alone.content


def recalled(text: str, *, messages: int = 1, speaker: str | None = None) -> Recalled:
    return Recalled(
        score=1.0,
        session_id=SESSION,
        message_ids=tuple(UUID(int=100 + number) for number in range(messages)),
        text=text,
        speaker=speaker,
        created_at=FIRST_MOMENT,
    )


async def test_questions_that_nobody_answered_are_not_quoted_from_other_conversations() -> None:
    question = "Show me the sales of 2023"
    found = (
        recalled(question),
        recalled("What about 2023?"),
        recalled(SALES[0].content),
        recalled("Ann: What about sales?", speaker="Ann"),
        recalled("I look after the sales."),
        recalled("Question: Sales? Result summary: 2.5M, or more?", messages=2),
    )

    answer = await answer_to(replace(context(question, SALES), recalled=found))

    quoted = [line.partition("“")[2] for line in answer.content.splitlines() if line[:1] == ">"]
    assert quoted[2:] == [
        "Ann: What about sales?”",
        "I look after the sales.”",
        "Question: Sales? Result summary: 2.5M, or more?”",
    ]
