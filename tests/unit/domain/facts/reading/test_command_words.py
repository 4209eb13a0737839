"""A message without a word that commands need is not read for them, and loses none by that."""

from collections.abc import Iterator
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.facts.reading.commands import detection
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.speech.phrases import LANGUAGES
from recollect.domain.speech.spoken import Part
from recollect.domain.speech.tokens import token_words, tokens_of

_PHRASES = 10
"""How many of a table are tried with more behind them, the shortest first."""
_MARKS = frozenset(",;¿¡()\u2013\u2014\n:.?")


def _sentences() -> Iterator[str]:
    """Phrases of every table, as if they told a command, in each way to go on from there."""
    for known in map(fact_words, LANGUAGES):
        name = f"{known.owners_named.first} {known.names_named.first}"
        frames = (
            f"{{}} {name} {known.from_memory.first}",
            f"{{}} {known.unwanted_things.first}",
            f"{{}} {known.subjects.first} {known.own_verbs.first} in Gent",
            f"{known.polite.first} {{}} {name} {known.please.first}?",
            f"{known.polite.first} {name} {{}}",
        )
        for field in fields(FactWords):
            phrases = [" ".join(one) for one in sorted(getattr(known, field.name), key=len)]
            yield from phrases
            for phrase in phrases[:_PHRASES]:
                yield from (frame.format(phrase) for frame in frames)


def test_every_table_from_which_commands_are_read_has_its_words_among_those_needed() -> None:
    sentences = (Part(start=0, text=sentence) for sentence in _sentences())
    commands = [one.text for one in sentences if detection._command_of(one)]
    assert len(commands) > _PHRASES * len(LANGUAGES)
    needed = detection._command_words()
    assert [one for one in commands if needed.isdisjoint(token_words(one))] == []


def test_what_has_none_of_the_words_has_no_command() -> None:
    needed = detection._command_words()
    assert needed.isdisjoint(token_words("I live in Ghent, and my dog is called Rex."))
    assert not needed.isdisjoint(token_words("Forget my dog."))


@pytest.mark.parametrize(
    "around", ["FORGET\u2122 my name", "X. fo\u0301rget my name", "'forget' x"]
)
def test_a_word_of_a_command_is_one_however_it_is_written(around: str) -> None:
    assert not detection._command_words().isdisjoint(token_words(around))


@given(
    st.text(max_size=60) | st.text(st.sampled_from("aéß½\u0301\u20d7\u2122_.'?:, \n"), max_size=30)
)
def test_the_words_of_a_text_are_those_of_its_tokens(text: str) -> None:
    words = {token.word for token in tokens_of(Part(start=0, text=text))}
    assert words - _MARKS <= token_words(text) <= words
