"""What the follow-up network reads, with its real tokenizer."""

from dataclasses import replace

import pytest
from tokenizers import Tokenizer

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, words_of
from recollect.models.followup.features import (
    MOST_QUESTION_TOKENS,
    TOKEN_TYPES,
    Features,
    tokens_of,
)
from recollect.models.weights import WEIGHTS

CLS, SEP = 101, 102
USER_MARK, ASSISTANT_MARK = 1, 2
REWRITE_MARK = 3
FIRST_ITEM_MARK, LAST_ITEM_MARK = 4, 14
LONG_WORD = "incomprehensibilities"  # five tokens


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))


def block(text: str, role: Role = Role.USER) -> Block:
    return Block(role=role, text=text, words=words_of(text))


def pieces(tokenizer: Tokenizer, features: Features) -> list[str]:
    """The texts of all tokens."""
    return [tokenizer.id_to_token(number) for number in features.token_ids]


def insertable(features: Features) -> set[tuple[int, int]]:
    """The words that a span may begin with, which are those that it may end with."""
    assert set(features.starts.values()) == set(features.ends.values())
    return set(features.starts.values())


def test_each_word_of_the_question_has_a_gap_at_its_first_token(tokenizer: Tokenizer) -> None:
    question = f"Why {LONG_WORD} now?"
    features = tokens_of(tokenizer, question, [], max_tokens=160)
    texts = pieces(tokenizer, features)
    assert [texts[token] for token in features.gap_tokens] == ["why", "incomp", "now", "?", "[SEP]"]
    assert len(features.gap_tokens) == len(words_of(question)) + 1


def test_before_each_gap_stands_the_word_before_it(tokenizer: Tokenizer) -> None:
    features = tokens_of(tokenizer, "How high?", [], max_tokens=160)
    texts = pieces(tokenizer, features)
    assert [texts[token] for token in features.previous_tokens] == ["[CLS]", "how", "high", "?"]


def test_a_word_without_tokens_shares_the_gap_of_the_next_word(tokenizer: Tokenizer) -> None:
    features = tokens_of(tokenizer, "How \u200b high?", [], max_tokens=160)
    texts = pieces(tokenizer, features)
    assert [texts[token] for token in features.gap_tokens] == ["how", "high", "high", "?", "[SEP]"]


def test_a_question_of_many_tokens_keeps_a_gap_for_each_word(tokenizer: Tokenizer) -> None:
    question = " ".join([LONG_WORD] * 30)
    features = tokens_of(tokenizer, question, [], max_tokens=160)
    assert len(features.token_ids) == MOST_QUESTION_TOKENS + 2
    assert len(features.gap_tokens) == 31
    assert features.gap_tokens == sorted(features.gap_tokens)
    assert features.token_ids[features.gap_tokens[-1]] == SEP


def test_the_messages_follow_the_question_each_after_a_mark_of_its_role(
    tokenizer: Tokenizer,
) -> None:
    blocks = [block("Two", Role.ASSISTANT), block("One")]
    features = tokens_of(tokenizer, "Why?", blocks, max_tokens=160)
    ids = features.token_ids
    assert (ids[0], ids[3], ids[4], ids[6], ids[7], ids[9]) == (
        *(CLS, SEP, ASSISTANT_MARK, SEP),
        *(USER_MARK, SEP),
    )
    assert pieces(tokenizer, features)[5] == "two"
    assert pieces(tokenizer, features)[8] == "one"


def test_a_span_begins_and_ends_with_whole_words_of_the_history(tokenizer: Tokenizer) -> None:
    features = tokens_of(tokenizer, "Why?", [block(f"So {LONG_WORD}.")], max_tokens=160)
    texts = pieces(tokenizer, features)
    starts = {word: texts[token] for token, word in features.starts.items()}
    ends = {word: texts[token] for token, word in features.ends.items()}
    assert starts == {(0, 0): "so", (0, 1): "incomp", (0, 2): "."}
    assert ends == {(0, 0): "so", (0, 1): "##bilities", (0, 2): "."}


def test_a_word_that_is_cut_off_cannot_be_inserted(tokenizer: Tokenizer) -> None:
    whole = tokens_of(tokenizer, "Why?", [block(f"So {LONG_WORD}")], max_tokens=160)
    assert insertable(whole) == {(0, 0), (0, 1)}
    size = len(whole.token_ids)
    assert insertable(
        tokens_of(tokenizer, "Why?", [block(f"So {LONG_WORD}")], max_tokens=size)
    ) == {(0, 0), (0, 1)}
    for missing in range(1, 6):
        limit = size - missing
        cut = tokens_of(tokenizer, "Why?", [block(f"So {LONG_WORD}")], max_tokens=limit)
        assert insertable(cut) == {(0, 0)}, f"{missing} tokens are missing"


@pytest.mark.parametrize("limit", [10, 24, 40, 160])
def test_there_are_never_more_tokens_than_the_limit(tokenizer: Tokenizer, limit: int) -> None:
    blocks = [block("- Porto\n- Lisbon\n- Braga\n" * 8) for _ in range(4)]
    features = tokens_of(tokenizer, "Why?", blocks, max_tokens=limit)
    assert len(features.token_ids) <= limit
    assert len(features.token_types) == len(features.token_ids)


def test_list_items_are_marked_with_their_number_and_the_last_one_as_such(
    tokenizer: Tokenizer,
) -> None:
    text = "We have:\n- Basic\n- Pro\n- Team"
    features = tokens_of(tokenizer, "Why?", [block(text, Role.ASSISTANT)], max_tokens=160)
    texts = pieces(tokenizer, features)
    words = [word.text for word in words_of(text)]
    first = {words[word]: token for token, (_, word) in features.starts.items()}
    assert features.token_ids[first["Basic"] - 1] == FIRST_ITEM_MARK
    assert features.token_ids[first["Pro"] - 1] == FIRST_ITEM_MARK + 1
    last = features.token_ids[first["Team"] - 2 : first["Team"]]
    assert last == [FIRST_ITEM_MARK + 2, LAST_ITEM_MARK]
    assert texts[first["Basic"]] == "basic"


def test_a_message_without_a_list_has_no_marks(tokenizer: Tokenizer) -> None:
    features = tokens_of(tokenizer, "Why?", [block("It depends on the plan.")], max_tokens=160)
    assert not set(features.token_ids) & set(range(FIRST_ITEM_MARK, LAST_ITEM_MARK + 1))


def test_types_tell_the_question_from_the_history_and_small_letters_from_capitals(
    tokenizer: Tokenizer,
) -> None:
    features = tokens_of(tokenizer, "why NASA Porto", [block("why NASA Porto")], max_tokens=160)
    texts = pieces(tokenizer, features)
    assert texts.count("nasa") == 2
    assert texts.count("porto") == 2
    kinds = [(text, kind) for text, kind in zip(texts, features.token_types, strict=True)]
    assert [kind for text, kind in kinds if text == "why"] == [0, 1]
    assert [kind for text, kind in kinds if text == "porto"] == [2, 3]
    assert [kind for text, kind in kinds if text == "nasa"] == [4, 5]
    assert all(0 <= kind < TOKEN_TYPES for kind in features.token_types)


def test_a_title_keeps_its_tokens_after_long_messages(tokenizer: Tokenizer) -> None:
    title = replace(block("Frank Zappa: Disbandment", Role.ASSISTANT), is_title=True)
    blocks = [block("word " * 200), block("other " * 50), title]
    features = tokens_of(tokenizer, "When did they split up?", blocks, max_tokens=96)
    assert len(features.token_ids) <= 96
    assert {(2, word) for word in range(4)} <= insertable(features)
    assert (0, 0) in insertable(features)
