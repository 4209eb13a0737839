"""Messages and entries are counted in the form that takes most tokens, and counted once."""

from dataclasses import dataclass, field, replace

from recollect.domain.context.rendering import block_line, message_text, section_lines
from recollect.domain.conversation.message import AnswerDetails, Role
from recollect.domain.recall.entry import Recalled
from recollect.services.context.form_tokens import TOKENS_A_MESSAGE, FormTokenCache, FormTokens
from recollect.testing import FIRST_MOMENT
from support.stored_conversations import A_SESSION, a_stored_message


@dataclass(eq=False)
class LetterCounter:
    """A token for each character; notes what it has counted."""

    counted: list[str] = field(default_factory=list)
    is_ready: bool = True

    def count(self, text: str, *, limit: int | None = None) -> int:
        """The length; a text over the limit counts as one more than it."""
        self.counted.append(text)
        return len(text) if limit is None else min(len(text), limit + 1)


def an_entry(text: str) -> Recalled:
    return Recalled(
        score=1.0, session_id=A_SESSION, message_ids=(), text=text, created_at=FIRST_MOMENT
    )


def test_a_message_takes_the_tokens_of_its_longest_form() -> None:
    message = a_stored_message(1, role=Role.ASSISTANT, content="Answer: yes", sql="SELECT 1")
    forms = message_text(message), section_lines(message), block_line(message, language="nl")
    tokens = FormTokens(LetterCounter(), 1000, FormTokenCache())
    assert tokens.of_message(message) == max(map(len, forms)) + TOKENS_A_MESSAGE


def test_what_was_in_an_earlier_context_is_not_counted_again() -> None:
    counter, cache = LetterCounter(), FormTokenCache()
    message, entry = a_stored_message(1), an_entry("Question: how much? Result summary: 12")
    first = FormTokens(counter, 1000, cache)
    before = first.of_message(message), first.of_recalled(entry)
    counter.counted.clear()
    later = FormTokens(counter, 1000, cache)
    assert (later.of_message(message), later.of_recalled(entry)) == before
    assert counter.counted == []


def test_messages_that_differ_in_any_part_that_is_shown_are_counted_apart() -> None:
    tokens = FormTokens(LetterCounter(), 1000, FormTokenCache())
    plain = a_stored_message(1, role=Role.ASSISTANT, content="yes")
    with_sql = replace(plain, details=AnswerDetails(sql_query="SELECT 1"))
    with_tables = replace(plain, details=AnswerDetails(tables_used=("sales", "regions")))
    system = replace(plain, role=Role.SYSTEM, content="yes, and always")
    costs = [tokens.of_message(one) for one in (plain, with_sql, with_tables, system)]
    alone = [
        FormTokens(LetterCounter(), 1000, FormTokenCache()).of_message(one)
        for one in (plain, with_sql, with_tables, system)
    ]
    assert costs == alone
    assert len(set(costs)) == len(costs)


def test_a_count_that_a_limit_has_cut_short_is_not_used_under_another_limit() -> None:
    counter, cache = LetterCounter(), FormTokenCache()
    message = a_stored_message(1, content="x" * 500)
    assert FormTokens(counter, 100, cache).of_message(message) < 500
    assert FormTokens(counter, 1000, cache).of_message(message) > 500


def test_each_counter_has_its_own_counts() -> None:
    class TwiceAsMany(LetterCounter):
        def count(self, text: str, *, limit: int | None = None) -> int:
            return 2 * super().count(text, limit=limit)

    cache, message = FormTokenCache(), a_stored_message(1, content="x" * 50)
    once = FormTokens(LetterCounter(), 1000, cache).of_message(message) - TOKENS_A_MESSAGE
    twice = FormTokens(TwiceAsMany(), 1000, cache).of_message(message) - TOKENS_A_MESSAGE
    assert twice == 2 * once


def test_the_cache_does_not_grow_without_end() -> None:
    cache, message = FormTokenCache(), a_stored_message(1)
    counters = [LetterCounter() for _ in range(100)]
    for counter in counters:
        FormTokens(counter, 1000, cache).of_message(message)
    kept = [counter for counter in counters if cache.of(counter)]
    assert len(kept) < len(counters)
