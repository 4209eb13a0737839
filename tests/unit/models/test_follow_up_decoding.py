"""The edits that are chosen from hand-made scores."""

from math import exp, log

import numpy as np
import pytest

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import SLOTS, Block, Span, words_of
from recollect.models.followup.decoding import DecodedEdits, Decoder, Scores
from recollect.models.followup.features import NO_SPAN, Features

CONNECTORS = ("", "in", "of", "van", "de")
DECODER = Decoder(
    CONNECTORS, {"en": ("", "in", "of"), "nl": ("", "van", "de", "in")}, frozenset({"the", "a"})
)
SURE = 20.0


class Network:
    """Scores of a question after messages, a token for each word; at first nothing is inserted."""

    def __init__(self, question: str, *messages: str) -> None:
        self.blocks = [Block(role=Role.USER, text=text, words=words_of(text)) for text in messages]
        words = len(words_of(question))
        self._features = Features(gap_tokens=list(range(1, words + 2)))
        place = words + 2
        self._tokens: dict[tuple[int, int], int] = {}
        for number, block in enumerate(self.blocks):
            for word in range(len(block.words)):
                self._tokens[number, word] = place
                place += 1
            place += 2  # the end of one message and the mark of the next one
        self._features.starts = {token: word for word, token in self._tokens.items()}
        self._features.ends = dict(self._features.starts)
        self._features.token_ids = [0] * place
        self._features.token_types = [0] * place
        gaps = words + 1
        self.delete = np.full(gaps, -SURE, np.float32)
        self.start = np.full((gaps, SLOTS, place), -SURE, np.float32)
        self.start[:, :, NO_SPAN] = SURE
        self.end = np.zeros((gaps, SLOTS, place), np.float32)
        self.pair = np.zeros((place, place), np.float32)
        self.connect = np.zeros((gaps, SLOTS, len(CONNECTORS) + 1), np.float32)
        self.connect[..., 0] = 1.0
        self.connect[..., -1] = -SURE
        self.connect_start = np.zeros((place, len(CONNECTORS) + 1), np.float32)

    def insert(self, gap: int, spans: dict[Span, float], *, slot: int = 0) -> None:
        """Give spans their probabilities at a place; what is left is for nothing."""
        self.start[gap, slot] = -SURE
        left = max(1 - sum(spans.values()), 1e-9)
        self.start[gap, slot, NO_SPAN] = log(left)
        for span, probability in spans.items():
            first = self._tokens[span.block, span.first]
            self.start[gap, slot, first] = log(probability)
            self.pair[first, self._tokens[span.block, span.last]] = SURE

    def decode(self, *, language: str = "en", need: float = 1.0) -> DecodedEdits:
        scores = Scores(
            need=need,
            delete=self.delete,
            start=self.start,
            end=self.end,
            pair=self.pair,
            connect=self.connect,
            connect_start=self.connect_start,
        )
        return DECODER.decode(scores, self._features, self.blocks, language=language)


def spans(decoded: DecodedEdits) -> list[Span]:
    return [one.span for one in decoded.edits.insertions]


def test_nothing_is_changed_where_nothing_is_likely() -> None:
    decoded = Network("How high is it?", "Mont Blanc").decode(need=-3.0)
    assert not decoded.edits.insertions
    assert not decoded.edits.deleted
    assert decoded.need == -3.0
    assert decoded.likelihood == pytest.approx(0.0, abs=1e-3)


def test_likely_words_are_deleted() -> None:
    network = Network("How high is it?", "Mont Blanc")
    network.delete[3] = 2.0
    decoded = network.decode()
    assert decoded.edits.deleted == {3}
    assert exp(decoded.weakest) == pytest.approx(1 / (1 + exp(-2.0)), abs=1e-4)


def test_the_likeliest_span_is_inserted_at_its_place() -> None:
    network = Network("How high is it?", "Mont Blanc", "the Matterhorn in Wallis")
    network.insert(3, {Span(0, 0, 1): 0.7, Span(1, 1, 1): 0.2})
    (insertion,) = network.decode().edits.insertions
    assert (insertion.gap, insertion.span, insertion.connector) == (3, Span(0, 0, 1), "")
    assert not insertion.is_possessive


def test_nothing_is_inserted_where_nothing_is_likelier_than_all_spans_together() -> None:
    network = Network("How high is it?", "Mont Blanc", "the Matterhorn")
    network.insert(3, {Span(0, 0, 1): 0.3, Span(1, 1, 1): 0.1})
    decoded = network.decode()
    assert not decoded.edits.insertions
    assert exp(decoded.weakest) == pytest.approx(0.6, abs=1e-3)


def test_how_likely_edits_are_is_the_product_of_all_decisions() -> None:
    network = Network("How high is it?", "Mont Blanc")
    network.insert(3, {Span(0, 0, 1): 0.8})
    network.delete[3] = 1.0
    decoded = network.decode()
    deletion = 1 / (1 + exp(-1.0))
    assert exp(decoded.likelihood) == pytest.approx(0.8 * deletion, abs=1e-3)
    assert exp(decoded.weakest) == pytest.approx(deletion, abs=1e-3)


def test_a_span_never_ends_in_another_message_than_it_begins_in() -> None:
    network = Network("How high is it?", "Mont Blanc", "the Matterhorn")
    network.insert(3, {Span(0, 0, 1): 0.9})
    first, other = network._tokens[0, 0], network._tokens[1, 1]
    network.pair[first, other] = 2 * SURE
    decoded = network.decode()
    assert spans(decoded) == [], "what is left is less likely than nothing"


def test_a_span_never_ends_before_it_begins() -> None:
    network = Network("How high is it?", "Mont Blanc massif")
    network.insert(3, {Span(0, 1, 1): 0.9})
    second, first = network._tokens[0, 1], network._tokens[0, 0]
    network.pair[second, first] = 2 * SURE
    assert spans(network.decode()) == [Span(0, 1, 1)]


def test_the_likeliest_connector_of_the_language_is_chosen() -> None:
    network = Network("And parking?", "Porto")
    network.insert(2, {Span(0, 0, 0): 0.9})
    network.connect[2, 0, CONNECTORS.index("in")] = 3.0
    (insertion,) = network.decode(language="en").edits.insertions
    assert insertion.connector == "in"


def test_a_connector_of_another_language_is_never_chosen() -> None:
    network = Network("And parking?", "Porto")
    network.insert(2, {Span(0, 0, 0): 0.9})
    network.connect[2, 0, CONNECTORS.index("van")] = 9.0
    network.connect[2, 0, CONNECTORS.index("of")] = 3.0
    (english,) = network.decode(language="en").edits.insertions
    (dutch,) = network.decode(language="nl").edits.insertions
    assert (english.connector, dutch.connector) == ("of", "van")


def test_a_language_without_connectors_of_its_own_may_take_any() -> None:
    network = Network("And parking?", "Porto")
    network.insert(2, {Span(0, 0, 0): 0.9})
    network.connect[2, 0, CONNECTORS.index("van")] = 9.0
    (insertion,) = network.decode(language="pt").edits.insertions
    assert insertion.connector == "van"


def test_what_a_span_begins_with_speaks_for_its_connector() -> None:
    network = Network("And parking?", "Porto")
    network.insert(2, {Span(0, 0, 0): 0.9})
    network.connect_start[network._tokens[0, 0], CONNECTORS.index("of")] = 3.0
    (insertion,) = network.decode().edits.insertions
    assert insertion.connector == "of"


def test_the_last_class_makes_a_possessive_and_is_no_connector() -> None:
    network = Network("And her field?", "Marie Curie")
    network.insert(1, {Span(0, 0, 1): 0.9})
    network.connect[1, 0, -1] = 9.0
    (insertion,) = network.decode().edits.insertions
    assert insertion.is_possessive
    assert insertion.connector == ""


def test_two_spans_at_one_place_keep_the_order_of_their_slots() -> None:
    network = Network("And returns?", "sales in Porto for 2024")
    network.insert(2, {Span(0, 1, 2): 0.9}, slot=0)
    network.insert(2, {Span(0, 3, 4): 0.9}, slot=1)
    assert spans(network.decode()) == [Span(0, 1, 2), Span(0, 3, 4)]


def test_the_same_span_is_never_inserted_twice() -> None:
    network = Network("And returns?", "sales in Porto")
    for gap, slot in ((1, 0), (1, 1), (2, 0)):
        network.insert(gap, {Span(0, 2, 2): 0.9}, slot=slot)
    (insertion,) = network.decode().edits.insertions
    assert (insertion.gap, insertion.span) == (1, Span(0, 2, 2))


def test_the_same_words_of_another_message_are_not_inserted_again() -> None:
    network = Network("And returns?", "sales in Porto", "Porto")
    network.insert(1, {Span(0, 2, 2): 0.9})
    network.insert(2, {Span(1, 0, 0): 0.9})
    assert spans(network.decode()) == [Span(0, 2, 2)]


def test_spans_that_differ_in_a_leading_article_count_together() -> None:
    network = Network("How high is it?", "the Matterhorn", "Mont Blanc")
    network.insert(3, {Span(0, 0, 1): 0.25, Span(0, 1, 1): 0.3, Span(1, 0, 1): 0.4})
    decoded = network.decode()
    assert spans(decoded) == [Span(0, 1, 1)], "the likelier of the two, though Mont Blanc has more"
    assert exp(decoded.weakest) == pytest.approx(0.55, abs=1e-2)


def test_the_same_words_in_several_messages_count_together() -> None:
    network = Network("How high is it?", "Matterhorn", "the MATTERHORN", "Mont Blanc")
    network.insert(3, {Span(0, 0, 0): 0.3, Span(1, 1, 1): 0.25, Span(2, 0, 1): 0.4})
    assert spans(network.decode()) == [Span(0, 0, 0)]


def test_a_longer_span_with_the_same_words_agrees_with_a_shorter_one() -> None:
    network = Network("How high is it?", "Mont Blanc", "high Mont Blanc", "Matterhorn")
    network.insert(3, {Span(0, 0, 1): 0.5, Span(1, 0, 2): 0.2, Span(2, 0, 0): 0.2})
    decoded = network.decode()
    assert spans(decoded) == [Span(0, 0, 1)]
    assert exp(decoded.weakest) == pytest.approx(0.7, abs=1e-2)
