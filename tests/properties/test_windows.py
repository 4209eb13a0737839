from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.context.rendering import message_text
from recollect.domain.context.window import (
    CUT_MARK,
    LARGE,
    SMALL,
    TIERS,
    ConversationTurn,
    Tier,
    WindowPolicy,
    WindowUnit,
    choose_window,
    conversation_turns,
    fit,
    messages_in,
    readable_tokens,
    tier_for_size,
    tier_of,
)
from recollect.domain.conversation.message import Role
from recollect.domain.model_names import context_window_of, family_name, is_hosted, model_size
from recollect.models.tokens import token_counter_for
from support.stored_conversations import (
    a_stored_message,
    cost_by,
    sequences,
    stored_messages,
    stored_turns,
)

roles = st.text(alphabet="uas", max_size=30)
tiers = st.sampled_from(TIERS)
texts = st.text(alphabet="ab é数\n[…]", min_size=1, max_size=60).filter(str.strip)
queries = st.none() | st.text(alphabet="SELECT *;", min_size=1, max_size=30)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[ConversationTurn, ...]:
    """Turns of any status and of texts of any length, some with SQL, some messages of no turn."""
    written = [
        replace(
            message,
            content=draw(texts),
            details=replace(
                message.details,
                sql_query=draw(queries) if message.role is Role.ASSISTANT else None,
            ),
        )
        for message in stored_messages(draw(st.text(alphabet="uas", min_size=1, max_size=12)))
    ]
    return conversation_turns(written)


def words(text: str) -> int:
    """A counter unlike characters: a text may grow and cost no more."""
    return len(text.split()) + len(text) // 7


def in_tokens(turns: tuple[ConversationTurn, ...]) -> int:
    return sum(words(message_text(message)) for turn in turns for message in turn.messages)


def last_of(turns: tuple[ConversationTurn, ...]) -> ConversationTurn:
    return next((turn for turn in reversed(turns) if turn.number is not None), turns[-1])


@pytest.mark.parametrize("stored", [0, 1, 9, 10, 11, 100])
@given(data=st.data())
def test_the_last_ten_messages_no_more_no_fewer(stored: int, data: st.DataObject) -> None:
    spoken = "".join(data.draw(st.lists(st.sampled_from("as"), min_size=stored, max_size=stored)))
    question_first = "u" + spoken[1:] if "a" in spoken[1:] else spoken
    policy = WindowPolicy(unit=WindowUnit.MESSAGES, size=10)
    window = choose_window(stored_turns(question_first), policy, data.draw(tiers))
    first = max(1, stored - 9)
    assert [m.sequence for m in messages_in(window)] == list(range(first, stored + 1))


@given(roles, st.integers(0, 12), tiers)
def test_a_window_of_messages_is_the_end_of_the_conversation(
    spoken: str, size: int, tier: Tier
) -> None:
    turns = stored_turns(spoken)
    window = choose_window(turns, WindowPolicy(unit=WindowUnit.MESSAGES, size=size), tier)
    messages = messages_in(turns)
    assert messages_in(window) == messages[max(0, len(messages) - size) :]


@given(roles, st.none() | st.integers(0, 12), tiers)
def test_a_window_of_turns_has_whole_turns_in_order(
    spoken: str, size: int | None, tier: Tier
) -> None:
    turns = stored_turns(spoken)
    window = choose_window(turns, WindowPolicy(unit=WindowUnit.TURNS, size=size), tier)
    assert all(turn in turns for turn in window)
    beginnings = [turn.messages[0].sequence for turn in window]
    assert beginnings == sorted(beginnings)
    numbered = [turn for turn in turns if turn.number is not None]
    wanted = tier.turns if size is None else size
    expected = numbered[max(0, len(numbered) - wanted) :]
    assert [turn for turn in window if turn.number is not None] == expected


@given(roles, st.integers(0, 11), tiers, st.sampled_from(WindowUnit))
def test_a_longer_window_has_all_that_a_shorter_one_has(
    spoken: str, size: int, tier: Tier, unit: WindowUnit
) -> None:
    turns = stored_turns(spoken)
    shorter, longer = (
        sequences(choose_window(turns, WindowPolicy(unit=unit, size=n), tier))
        for n in (size, size + 1)
    )
    assert set(shorter) <= set(longer)


@given(st.permutations(range(1, 9)))
def test_messages_come_back_in_order_whatever_order_they_were_read_in(order: list[int]) -> None:
    stored = stored_messages("suauasua")
    turns = conversation_turns([stored[place - 1] for place in order])
    assert list(messages_in(turns)) == stored


@given(conversations(), st.integers(0, 200))
def test_fitted_turns_are_never_over_the_token_limit(
    turns: tuple[ConversationTurn, ...], limit: int
) -> None:
    fitted = fit(turns, limit, cost_by(words))
    assert fitted.tokens == in_tokens(fitted.turns) <= limit


@given(conversations(), st.integers(0, 60), st.integers(0, 5))
def test_fitted_turns_are_never_over_the_token_limit_of_a_real_tokenizer(
    turns: tuple[ConversationTurn, ...], limit: int, beside: int
) -> None:
    count = token_counter_for("gpt-4o").count
    kept = fit(turns, limit, cost_by(count, tokens_per_message=beside)).turns
    assert sum(count(message_text(m)) + beside for m in messages_in(kept)) <= limit


@given(conversations(), st.integers(0, 200))
def test_turns_are_kept_whole_or_dropped_and_none_is_lost(
    turns: tuple[ConversationTurn, ...], limit: int
) -> None:
    fitted = fit(turns, limit, cost_by(words))
    if fitted.lost_characters is not None:
        assert len(fitted.turns) <= 1
        assert {turn.number for turn in fitted.turns} <= {last_of(turns).number}
    else:
        assert all(turn in turns for turn in fitted.turns)
        assert sorted((*fitted.turns, *fitted.dropped), key=turns.index) == list(turns)
    assert list(fitted.turns) == sorted(fitted.turns, key=lambda turn: turn.messages[0].sequence)
    assert fitted.is_truncated == (fitted.turns != turns)


@given(conversations(), st.integers(0, 200))
def test_the_last_turn_is_always_kept_and_its_latest_sql_whole(
    turns: tuple[ConversationTurn, ...], limit: int
) -> None:
    last = last_of(turns)
    fitted = fit(turns, limit, cost_by(words))
    queries = [m.details.sql_query for m in last.messages if m.details.sql_query]
    needed = max([words(CUT_MARK), *(words(query) for query in queries[-1:])])
    if limit >= needed:
        assert any(turn.number == last.number for turn in fitted.turns)
    if queries and limit >= needed:
        kept = [m.details.sql_query for turn in fitted.turns for m in turn.messages]
        assert queries[-1] in kept


@given(conversations(), st.integers(0, 200), st.integers(0, 100))
def test_a_larger_budget_keeps_all_turns_that_a_smaller_one_keeps(
    turns: tuple[ConversationTurn, ...], limit: int, more: int
) -> None:
    smaller, larger = fit(turns, limit, cost_by(len)), fit(turns, limit + more, cost_by(len))
    assert set(sequences(larger.dropped)) <= set(sequences(smaller.dropped))
    assert {turn.number for turn in smaller.turns} <= {turn.number for turn in larger.turns}
    if smaller.lost_characters is None:
        assert set(sequences(smaller.turns)) <= set(sequences(larger.turns))
        assert smaller.tokens <= larger.tokens
        assert larger.lost_characters is None


@given(texts, st.integers(0, 80))
def test_a_shortened_text_is_its_beginning_and_an_ellipsis(text: str, limit: int) -> None:
    turn = ConversationTurn(number=1, messages=(a_stored_message(1, content=text),))
    for kept in messages_in(fit([turn], limit, cost_by(len)).turns):
        assert kept.content == text or text.startswith(
            kept.content.removesuffix(CUT_MARK).rstrip(" ")
        )


@given(st.integers(0, 2_000_000), tiers)
def test_what_may_be_read_leaves_the_answer_its_share(window: int, tier: Tier) -> None:
    readable = readable_tokens(window, tier.shares)
    assert 0 <= readable <= window
    assert (window - readable) * 100 <= window * tier.shares.answer


@given(st.none() | st.text(max_size=40) | st.from_regex(r"[a-z0-9.:/_-]{0,30}", fullmatch=True))
def test_every_name_has_a_tier(name: str | None) -> None:
    assert tier_of(name) in TIERS
    size = model_size(name)
    assert size is None or size > 0
    window = context_window_of(name)
    assert window is None or window > 0
    if size is None:
        assert tier_of(name) is (LARGE if is_hosted(name) else SMALL)
    assert family_name(name) == family_name((name or "").lower())


@given(st.floats(0.01, 2000), st.floats(0.01, 2000))
def test_a_larger_model_has_no_smaller_tier(one: float, other: float) -> None:
    smaller, larger = sorted((one, other))
    assert TIERS.index(tier_for_size(smaller)) <= TIERS.index(tier_for_size(larger))


@given(st.integers(1, 999), st.sampled_from(["-instruct", ":latest", "-q4_K_M", "", "-4bit"]))
def test_a_size_in_the_name_is_found_among_other_marks(billions: int, rest: str) -> None:
    assert model_size(f"acme/wonder2-{billions}B{rest}") == billions


@given(st.text(max_size=200), st.sampled_from(["gpt-4o", "gpt-4", "llama3", "qwen3", "wonder"]))
def test_any_text_but_the_empty_one_has_tokens(text: str, model: str) -> None:
    counter = token_counter_for(model)
    assert (counter.count(text) == 0) == (text == "")
