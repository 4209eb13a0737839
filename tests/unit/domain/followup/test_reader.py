"""A rewriter that remembers what it has read gives the same results, and forgets in time."""

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.languages import pack_for
from recollect.domain.followup.reader import Reader, ReadingCache
from recollect.domain.followup.recent import Recent
from recollect.domain.followup.rewrite import Rewriter, rewrite
from support.followups import conversation


def test_a_remembered_conversation_reads_as_at_first() -> None:
    history = conversation(
        "user: Who was Marie Curie?",
        "assistant: Marie Curie was a physicist.",
        "user: Who was Pierre Curie?",
        "assistant: Pierre Curie was her husband.",
    )
    rewriter = Rewriter()

    for question in ("When was he born?", "Where did she study?", "When was he born?"):
        for length in (2, 4):
            kept = rewriter.rewrite(question, history[:length], language="en")
            assert kept == rewrite(question, history[:length], language="en")


def test_one_conversation_does_not_show_in_another() -> None:
    rewriter = Rewriter()
    rewriter.rewrite("Where did she live?", conversation("user: Who was Marie Curie?"))

    result = rewriter.rewrite("Where did she live?", conversation("user: Who was Ada Lovelace?"))

    assert result.standalone_question == "Where did Ada Lovelace live?"


def test_the_same_question_is_corrected_by_its_own_sql() -> None:
    question, rewriter = "Which countries are in the Carribean region?", Rewriter()

    for value, expected in (("Caribbean", "Caribbean"), ("Carribeans", "Carribeans")):
        sql = f"SELECT * FROM country WHERE Region = '{value}'"  # noqa: S608 # never run
        history = (
            Said(role=Role.USER, content=question),
            Said(role=Role.ASSISTANT, content="24.", sql_query=sql),
        )
        result = rewriter.rewrite("How many of those are there?", history, language="en")
        assert expected in result.standalone_question.split()


def test_only_the_last_texts_are_remembered() -> None:
    reader = Reader(pack_for("en"), ReadingCache(questions=Recent(2 * 60)))
    first = reader.read("one")

    assert reader.read("one") is first
    reader.read("two")
    assert reader.read("one") is first
    reader.read("six")
    reader.read("ten")
    assert reader.read("one") is not first


def test_a_long_text_takes_the_room_of_many() -> None:
    reader = Reader(pack_for("en"), ReadingCache(questions=Recent(1000)))
    short = [reader.read(text) for text in ("one", "two", "six")]
    long = reader.read("one " * 200)

    assert reader.read("one " * 200) is long
    assert reader.read("six") is short[-1]
    assert reader.read("one") is not short[0]


def test_a_text_longer_than_the_cache_is_still_read() -> None:
    reader = Reader(pack_for("en"), ReadingCache(questions=Recent(10)))

    assert [reader.read("one two").said, reader.read("two").said] == ["one two", "two"]
