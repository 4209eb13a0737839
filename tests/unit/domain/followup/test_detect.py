"""Each signal is named for what gives a follow-up away."""

import pytest

from recollect.domain.followup.detect import detect
from recollect.domain.followup.dialogue import Signal
from recollect.domain.followup.grammar import read
from recollect.domain.followup.languages import pack_for


def signals(question: str, language: str = "en") -> tuple[Signal, ...]:
    pack = pack_for(language)
    return detect(read(question, pack), pack)


@pytest.mark.parametrize(
    ("question", "signal"),
    [
        ("When did she die?", Signal.PRONOUN),
        ("What is its capital?", Signal.POSSESSIVE),
        ("Was that album popular?", Signal.DEMONSTRATIVE),
        ("What did they do there?", Signal.PLACE_ADVERB),
        ("What about Paris?", Signal.ELLIPSIS_OPENER),
        ("and in 2023?", Signal.BARE_VALUE),
        ("the phone number", Signal.FRAGMENT),
        ("Who else?", Signal.ELSE),
        ("What is the price of the second one?", Signal.ORDINAL),
        ("only the North", Signal.FILTER),
        ("the same please", Signal.SAME_BUT),
        ("Which is longer?", Signal.COMPARATIVE),
    ],
)
def test_each_signal_of_a_follow_up_is_detected(question: str, signal: Signal) -> None:
    assert signal in signals(question)


def test_a_pronominal_adverb_is_seen_in_dutch() -> None:
    assert signals("Wat kost daarbij de montage?", "nl") == (Signal.PRONOMINAL_ADVERB,)


@pytest.mark.parametrize(
    "question",
    [
        "Is there a museum in Utrecht?",
        "Is it true that glass is a liquid?",
        "What did Einstein say about his theory?",
        "How much did we sell this month?",
        "Thank you, that was it!",
    ],
)
def test_nothing_is_seen_in_a_question_that_stands_alone(question: str) -> None:
    assert signals(question) == ()
