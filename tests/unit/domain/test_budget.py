from dataclasses import replace

from recollect.domain.context.window import (
    CUT_MARK,
    LARGE,
    MEDIUM,
    SMALL,
    TINY,
    Tier,
    fit,
    readable_tokens,
)
from recollect.domain.conversation.message import Message, Role
from support.stored_conversations import a_stored_message, a_turn, cost_by, stored_turns
from support.tables import for_each

SQL = "SELECT region, SUM(amount) FROM sales GROUP BY region"


@for_each(("tier", "readable"), [(TINY, 800), (SMALL, 800), (MEDIUM, 850), (LARGE, 850)])
def test_the_share_of_the_answer_is_left_free(tier: Tier, readable: int) -> None:
    assert readable_tokens(1000, tier.shares) == readable
    assert readable_tokens(1, tier.shares) == 1


def test_all_turns_are_kept_when_they_fit() -> None:
    turns = (a_turn(1, "aaaa", "bbbb"), a_turn(2, "cccc", "dddd"))
    fitted = fit(turns, 16, cost_by(len))
    assert (fitted.turns, fitted.tokens, fitted.is_truncated) == (turns, 16, False)


def test_the_oldest_turns_are_dropped_first_and_whole() -> None:
    turns = tuple(a_turn(number, "aaaa", "bbbb") for number in range(1, 6))
    fitted = fit(turns, 23, cost_by(len))
    assert fitted.turns == turns[3:]
    assert fitted.dropped == turns[:3]
    assert (fitted.tokens, fitted.is_truncated, fitted.lost_characters) == (16, True, None)


def test_no_older_turn_slips_in_where_a_longer_one_was_dropped() -> None:
    turns = (a_turn(1, "a", "b"), a_turn(2, "c" * 50, "d"), a_turn(3, "e", "f"))
    fitted = fit(turns, 20, cost_by(len))
    assert fitted.turns == turns[2:]


def test_nothing_to_fit_is_nothing_kept() -> None:
    assert fit((), 100, cost_by(len)).turns == ()
    assert not fit((), 0, cost_by(len)).is_truncated


def test_sql_counts_as_the_message_is_read() -> None:
    turn = a_turn(1, "aa", "bb", sql="ssss")
    assert fit([turn], 100, cost_by(len)).tokens == 2 + len("bb\nssss")


def test_each_message_costs_its_delimiters_too() -> None:
    turns = (a_turn(1, "aaaa", "bbbb"), a_turn(2, "cccc", "dddd"))
    assert fit(turns, 16, cost_by(len, tokens_per_message=3)).turns == turns[1:]
    assert fit(turns, 28, cost_by(len, tokens_per_message=3)).tokens == 28


def test_the_text_that_is_counted_is_the_one_that_is_rendered() -> None:
    def with_role(message: Message) -> str:
        return f"{message.role}: {message.content}"

    turns = (a_turn(1, "aaaa", "bbbb"), a_turn(2, "cccc", "dddd"))
    fitted = fit(turns, 30, cost_by(len, render=with_role))
    assert fitted.turns == turns[1:]
    assert fitted.tokens == len("user: cccc") + len("assistant: dddd")


def test_a_last_turn_over_the_limit_keeps_its_question_and_sql_and_loses_its_answers_end() -> None:
    turn = a_turn(2, "How much?", "word " * 100, sql=SQL)
    older = a_turn(1, "a", "b")
    fitted = fit([older, turn], 120, cost_by(len))
    (kept,) = fitted.turns
    question, answer = kept.messages
    assert question == turn.messages[0]
    assert answer.details.sql_query == SQL
    assert answer.content.startswith("word word")
    assert answer.content.endswith(f" {CUT_MARK}")
    assert 115 <= fitted.tokens <= 120
    assert fitted.dropped == (older,)
    lost = len("word " * 100) - len(answer.content.removesuffix(f" {CUT_MARK}"))
    assert fitted.lost_characters == lost


def test_a_single_token_over_the_limit_is_too_many() -> None:
    turn = a_turn(1, "How much?", "A lot of it.")
    assert fit([turn], 21, cost_by(len)).turns == (turn,)
    assert fit([turn], 20, cost_by(len)).tokens <= 20
    assert fit([turn], 20, cost_by(len)).is_truncated


def test_long_texts_share_the_room() -> None:
    fitted = fit([a_turn(1, "q" * 500, "a" * 500)], 100, cost_by(len))
    assert [len(message.content) for message in fitted.turns[0].messages] == [50, 50]
    assert fitted.lost_characters == 2 * (500 - len("q" * 50) + len(f" {CUT_MARK}"))


def test_the_sql_is_kept_alone_where_nothing_else_fits() -> None:
    turn = a_turn(1, "q" * 500, "a" * 500, sql=SQL)
    fitted = fit([turn], len(SQL), cost_by(len))
    (answer,) = fitted.turns[0].messages
    assert (answer.content, answer.details.sql_query) == ("", SQL)
    assert fitted.lost_characters == 1000
    assert fitted.tokens == len(SQL)


def test_sql_that_does_not_fit_is_left_out_whole() -> None:
    fitted = fit([a_turn(1, "How much?", "A lot", sql=SQL)], len(SQL) - 1, cost_by(len))
    question, answer = fitted.turns[0].messages
    assert (question.content, answer.content) == ("How much?", "A lot")
    assert answer.details.sql_query is None
    assert fitted.lost_characters == len(SQL)


def test_of_two_queries_the_newer_one_is_kept() -> None:
    turn = a_turn(1, "?", "first", sql=SQL)
    again = a_stored_message(3, role=Role.ASSISTANT, content="second", sql=SQL.lower())
    fitted = fit([replace(turn, messages=(*turn.messages, again))], 80, cost_by(len))
    assert [m.details.sql_query for m in fitted.turns[0].messages] == [None, None, SQL.lower()]


def test_nothing_is_kept_where_not_even_a_mark_fits() -> None:
    turn = a_turn(1, "long question", "long answer")
    fitted = fit([turn], 2, cost_by(len))
    assert (fitted.turns, fitted.tokens) == ((), 0)
    assert fitted.lost_characters == len("long question") + len("long answer")


def test_a_message_after_the_last_turn_goes_before_that_turn_does() -> None:
    turn, note = stored_turns("uas")
    fitted = fit([turn, note], len("user 1") + len("assistant 2"), cost_by(len))
    assert (fitted.turns, fitted.dropped) == ((turn,), (note,))


def test_without_any_turn_the_last_message_is_kept() -> None:
    first, second = stored_turns("as")
    assert fit([first, second], len("system 2"), cost_by(len)).turns == (second,)


def test_a_huge_text_is_not_counted_over_and_over() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text) // 4

    huge = a_turn(1, "How much?", "x" * 1_000_000)
    fit([huge], 100, cost_by(count))
    assert counted < 1_100_000


def test_a_text_is_cut_in_as_many_attempts_however_long_it_is() -> None:
    attempts: dict[int, int] = {}
    for length in (50_000, 200_000, 800_000):
        counted: list[str] = []

        def count(text: str, counted: list[str] = counted) -> int:
            counted.append(text)
            return len(text) // 64

        fit([a_turn(1, "How much?", "-" * length)], length // 128, cost_by(count))
        attempts[length] = len(counted)
    assert max(attempts.values()) <= min(attempts.values()) + 2


def test_a_text_of_few_tokens_fills_its_room() -> None:
    def count(text: str) -> int:
        return len(text) // 50

    fitted = fit([a_turn(1, "", "x" * 10_000)], 100, cost_by(count))
    assert fitted.tokens == 100
    assert len(fitted.turns[0].messages[1].content) == 5049


def test_a_turn_keeps_its_number_when_it_is_shortened() -> None:
    assert fit([a_turn(7, "q" * 50, "a" * 50)], 40, cost_by(len)).turns[0].number == 7
