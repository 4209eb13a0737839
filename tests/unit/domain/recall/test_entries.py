from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest

from recollect.domain.conversation.message import AnswerDetails, Message, Role
from recollect.domain.conversation.session import TurnStatus
from recollect.domain.recall.entry import IndexedEntry, answer_term
from recollect.domain.recall.entry_maker import (
    MAX_TERMS,
    EntryMaker,
    is_empty_answer,
    read_exchange,
)
from recollect.domain.text import JsonObject
from recollect.testing import FIRST_MOMENT
from support.tables import for_each

SESSION = UUID(int=1)
MAKER = EntryMaker(stems=lambda text: text.lower().split())


def turn(*said: tuple[str, str], metadata: JsonObject | None = None) -> list[Message]:
    return [
        Message(
            message_id=uuid4(),
            session_id=SESSION,
            sequence=number,
            turn_number=4,
            role=Role(role),
            content=content,
            metadata=metadata or {},
            details=AnswerDetails(),
            created_at=FIRST_MOMENT,
        )
        for number, (role, content) in enumerate(said, start=7)
    ]


def entries(
    messages: Sequence[Message],
    status: TurnStatus = TurnStatus.COMPLETE,
    *,
    is_latest: bool = True,
) -> tuple[IndexedEntry, ...]:
    return MAKER.entries_of(messages, status, is_latest=is_latest)


def with_details(message: Message, **details: object) -> Message:
    values = {name: getattr(message, name) for name in Message.__dataclass_fields__}
    return Message(**values | {"details": AnswerDetails(**details)})  # type: ignore[arg-type]


def test_a_complete_exchange_is_one_entry() -> None:
    question, answer = turn(("user", "Sales of\n2024?"), ("assistant", "They were 9 million."))
    answer = with_details(answer, sql_query="SELECT 1\nFROM sales", tables_used=("Shop.Sales",))
    (found,) = entries([question, answer])
    assert found.entry.text == (
        "Question: Sales of 2024? SQL: SELECT 1 FROM sales Tables: shop.sales "
        "Result summary: They were 9 million."
    )
    assert found.entry.message_ids == (question.message_id, answer.message_id)
    assert (found.entry.sequence, found.entry.turn_number) == (7, 4)
    assert found.entry.tables == ("shop.sales",)
    assert found.entry.speaker is None
    assert found.entry.said_at == FIRST_MOMENT
    assert found.vector is None


def test_parts_that_are_not_there_are_not_named() -> None:
    (found,) = entries(turn(("user", "Sales?"), ("assistant", "Nine.")))
    assert found.entry.text == "Question: Sales? Result summary: Nine."


def test_only_the_beginning_of_an_answer_is_shown_but_all_its_words_find_it() -> None:
    answer = "word " * 60 + "needle"
    (found,) = entries(turn(("user", "Sales?"), ("assistant", answer)))
    assert found.entry.text == f"Question: Sales? Result summary: {answer[:200]}"
    assert found.terms[answer_term("needle")] == 1
    assert found.terms[answer_term("word")] == 60


def test_an_entry_has_so_many_words_at_most() -> None:
    answer = " ".join(f"w{number}" for number in range(5000))
    (found,) = entries(turn(("user", "Sales?"), ("assistant", answer)))
    assert len(found.terms) == MAX_TERMS
    assert found.terms["sales?"] == 1


def test_tables_are_parsed_from_the_sql_query() -> None:
    maker = EntryMaker(stems=str.split, tables_of=lambda _: ["shop.sales"])
    question, answer = turn(("user", "Sales?"), ("assistant", "Nine."))
    answer = with_details(answer, sql_query="SELECT * FROM Shop.Sales", tables_used=("hr.pay",))
    (found,) = maker.entries_of([question, answer], TurnStatus.COMPLETE, is_latest=True)
    assert found.entry.tables == ("shop.sales",)
    assert "Tables: shop.sales " in found.entry.text


def test_unknown_tables_are_stored_and_not_shown_in_the_text() -> None:
    question, answer = turn(("user", "Sales?"), ("assistant", "Nine."))
    answer = with_details(answer, sql_query="SELECT FROM WHERE")
    (found,) = entries([question, answer])
    assert found.entry.tables == ("?",)
    assert "Tables" not in found.entry.text


@pytest.mark.parametrize("status", [TurnStatus.FAILED, TurnStatus.PENDING])
def test_an_exchange_that_is_not_complete_is_no_entry(status: TurnStatus) -> None:
    assert entries(turn(("user", "Sales?")), status) == ()
    assert entries(turn(("user", "Sales?"), ("assistant", "Nine.")), status) == ()


def test_a_question_passed_over_for_a_newer_one_is_an_entry() -> None:
    (found,) = entries(turn(("user", "I moved to Gent.")), TurnStatus.PENDING, is_latest=False)
    assert found.entry.text == "I moved to Gent."
    assert entries(turn(("user", "I moved.")), TurnStatus.FAILED, is_latest=False) == ()


def test_half_of_a_complete_exchange_is_no_entry() -> None:
    assert entries(turn(("user", "Sales?"))) == ()
    assert entries(turn(("assistant", "Nine."))) == ()
    assert entries(turn(("system", "Be brief."))) == ()


@for_each("key", ["speaker", "name"])
@for_each("status", list(TurnStatus))
def test_a_message_of_a_named_speaker_is_an_entry_at_once(key: str, status: TurnStatus) -> None:
    (message,) = turn(("user", "I moved to Gent."), metadata={key: " Ann  Smith"})
    (found,) = entries([message], status)
    assert found.entry.text == "Ann Smith: I moved to Gent."
    assert found.entry.speaker == "Ann Smith"
    assert {"ann", "moved"} <= found.terms.keys()


def test_two_named_messages_of_a_turn_are_two_entries() -> None:
    found = entries(turn(("user", "Ann: Hi there"), ("assistant", "Bob B.: Hello")))
    assert [one.entry.speaker for one in found] == ["Ann", "Bob B."]
    assert [one.entry.text for one in found] == ["Ann: Hi there", "Bob B.: Hello"]
    assert [one.entry.sequence for one in found] == [7, 8]


def test_a_written_name_in_an_exchange_is_part_of_the_question() -> None:
    (found,) = entries(turn(("user", "Ann: how many?"), ("assistant", "Nine.")))
    assert found.entry.text == "Question: Ann: how many? Result summary: Nine."


@for_each(
    "content",
    ["Note: buy milk", "ann: hello", "10:30 is fine", "http://x.org", "Ann:", "Pregunta: uno"],
)
def test_not_all_that_stands_before_a_colon_is_a_name(content: str) -> None:
    assert entries(turn(("user", content)), TurnStatus.PENDING) == ()


@for_each("name", ["", "  ", 5, None, ["Ann"]])
def test_a_speaker_name_that_is_blank_or_no_text_is_ignored(name: object) -> None:
    messages = turn(("user", "hello there"), metadata={"speaker": name})  # type: ignore[dict-item]
    assert entries(messages, TurnStatus.PENDING) == ()


@for_each(
    "answer",
    [
        "I don't know.",
        "I\u2019m sorry, but I do not know that.",
        "Unfortunately I could not find anything about it.",
        "No results.",
        "Dat weet ik niet.",
        "Sorry, ik heb geen idee",
        "Das weiß ich leider nicht.",
        "Ich kann das nicht beantworten.",
        "Je ne sais pas.",
        "Désolé, je n'ai pas trouvé de données.",
        "No lo sé.",
        "Lo siento, no puedo responder a eso.",
        " \n",
    ],
)
def test_answers_that_tell_nothing_are_no_entries(answer: str) -> None:
    assert is_empty_answer(answer)
    assert entries(turn(("user", "Sales?"), ("assistant", answer))) == ()


@for_each(
    "answer",
    [
        "No.",
        "Nobody was hired.",
        "None of the 12 stores was closed.",
        "I don't know the reason, but sales fell by 12 percent.",
        "I don't know the reason, but sales fell.",
        "None of the stores was closed.",
        "Noël is on a Monday.",
        "Know-how is what the north lacks.",
        "I do not know why; " + "but this is what I found out about it. " * 5,
        "Knowing is half the battle",
    ],
)
def test_answers_with_information_make_an_entry(answer: str) -> None:
    assert not is_empty_answer(answer)


@for_each("question", ["Which sales?", "What is SQL: a language?", "which Tables: new?"])
@for_each("answer", ["2.5M.", "See Tables: none."])
def test_the_text_of_an_exchange_can_be_read_again(question: str, answer: str) -> None:
    messages = turn(("user", question), ("assistant", answer))
    (made,) = MAKER.entries_of(messages, TurnStatus.COMPLETE, is_latest=True)
    assert read_exchange(made.entry.text, has_tables=False) == (question, answer)
    queried = f"Question: {question} SQL: select 1 Tables: sales Result summary: {answer}"
    assert read_exchange(queried, has_tables=True) == (question, answer)


def test_other_texts_are_no_exchanges() -> None:
    assert read_exchange("I live in Ghent.", has_tables=False) is None
    assert read_exchange("Question: Cut off …", has_tables=False) == ("Cut off …", "")
