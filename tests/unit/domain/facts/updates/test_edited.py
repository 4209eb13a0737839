"""Which of the messages that are shown a left one was edited to."""

import time

from recollect.domain.conversation.message import Message
from recollect.domain.facts.updates.edited import COMPARED, edited_to
from support.stored_conversations import a_stored_message
from support.tables import for_each

LEFT = "I live in Ghent, what can I see?"


def _edited(left: str, *shown: str) -> str | None:
    messages = [a_stored_message(at, content=text) for at, text in enumerate(shown, start=2)]
    found = edited_to(a_stored_message(1, content=left), messages)
    return found.content if found else None


def test_a_message_was_edited_to_the_one_most_like_it() -> None:
    near, nearer = "I live in Bruges, what could I see?", "I live in Bruges, what can I see?"
    assert _edited(LEFT, "Thanks.", near, nearer) == nearer


@for_each("shown", ["What can I eat there today, then?", "Thanks.", ""])
def test_a_message_with_other_words_is_no_edit(shown: str) -> None:
    assert _edited(LEFT, shown) is None


def test_a_word_that_is_repeated_counts_as_often_as_both_have_it() -> None:
    assert _edited("no no no no no no", "no yes yes yes yes yes") is None


def test_messages_without_words_are_no_edits() -> None:
    assert _edited("", "") is None


def test_only_the_beginning_of_a_long_message_is_compared() -> None:
    beginning = "word " * (COMPARED // 5)
    assert _edited(beginning + "one " * 5_000, beginning + "two " * 5_000) is not None


def test_many_messages_are_compared_in_little_time() -> None:
    shown: list[Message] = [
        a_stored_message(at, content=f"a b c {at} " * 60) for at in range(2, 67)
    ]
    started = time.process_time()
    assert edited_to(a_stored_message(1, content="a b c d " * 75), shown) is not None
    assert time.process_time() - started < 1
