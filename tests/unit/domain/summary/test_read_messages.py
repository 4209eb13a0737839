from collections.abc import Sequence
from uuid import uuid4

import pytest

from recollect.domain.summary import read_messages
from recollect.domain.summary.candidates import (
    CandidateSet,
    SentenceCandidate,
    Utterance,
    Voice,
    read_conversation,
    read_message,
)
from recollect.domain.summary.extractive import summarise_extractively
from recollect.domain.summary.read_messages import ReadMessages

TALK = (
    ("user", "My daughter Noor is allergic to wasps. Do I need a permit for the fan?"),
    ("assistant", "I will look that up for you later."),
    ("user", "Ik woon in Gent, en de zaak is elke dag open. Hoeveel kost de ventilator?"),
    (
        "assistant",
        "De fan kost 40 euro. Graag gedaan! " + "Dat is regel 7 van de lijst. " * 70,
    ),
)


def talk(turns: int) -> list[Utterance]:
    return [Utterance(speaker=speaker, text=text) for speaker, text in (*TALK,) * turns][:turns]


def read(cached: ReadMessages, conversation: list[Utterance]) -> CandidateSet:
    return read_conversation(conversation, read=cached.read)


def test_a_growing_conversation_is_read_from_the_cache_as_without_it() -> None:
    """Of more messages, fewer sentences each are read; after a summary, more again."""
    cached = ReadMessages()
    for turns in (1, 2, 3, 4, 5, 90, 200, 91, 4):
        conversation = talk(turns)
        assert read(cached, conversation) == read_conversation(conversation)
        assert read(cached, conversation[::-1]) == read_conversation(conversation[::-1])
        by_cache = summarise_extractively(conversation, limit=500, read=cached.read)
        assert by_cache == summarise_extractively(conversation, limit=500)


def test_a_message_that_was_read_before_is_not_read_again() -> None:
    cached, conversation = ReadMessages(), talk(2)
    before = read(cached, conversation).candidates
    after = read(cached, [*conversation, *conversation]).candidates
    assert all(one.content is again.content for one, again in zip(before, after, strict=False))


def test_the_cache_keeps_its_size_and_what_was_used_last() -> None:
    cached = ReadMessages(max_bytes=100_000)
    often, *_ = talk(1)
    first = read(cached, [often]).candidates
    for number in range(500):
        read(cached, [Utterance(speaker="user", text=f"My cat is called Tom{number}.")])
        again = read(cached, [often]).candidates
    assert 50_000 < cached.size <= 100_000
    assert again[0].content is first[0].content


def test_a_message_larger_than_the_cache_is_read_all_the_same() -> None:
    cached, large = ReadMessages(max_bytes=1_000), talk(4)
    assert read(cached, large) == read_conversation(large)
    assert cached.size <= 1_000


def test_nothing_is_left_of_what_is_forgotten() -> None:
    cached, conversation = ReadMessages(), talk(4)
    before = read(cached, conversation).candidates
    cached.forget(uuid4())
    assert cached.size == 0
    after = read(cached, conversation).candidates
    assert after == before
    assert after[0].content is not before[0].content


def test_what_is_forgotten_while_it_is_read_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    cached, conversation = ReadMessages(), talk(1)

    def reading(text: str, voice: Voice, *, turn: int, most: int) -> Sequence[SentenceCandidate]:
        cached.forget(uuid4())
        return read_message(text, voice, turn=turn, most=most)

    monkeypatch.setattr(read_messages, "read_message", reading)
    assert read(cached, conversation) == read_conversation(conversation)
    assert cached.size == 0
