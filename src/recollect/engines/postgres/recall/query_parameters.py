"""The parameters of a search, as statements take them."""

from typing import Final

from recollect.domain.recall.entry import RecallFilter, RecallQuery
from recollect.engines.postgres.recall.rows import model_key, term_key, vector_text

_CHOSEN_AT_LEAST: Final = 150
_CHOSEN_FOR_EACH: Final = 2  # signs of vectors are not exact: the best are among so many more


def is_unfiltered(filters: RecallFilter) -> bool:
    """Whether the owner's entries are filters to nothing that only the entries tell."""
    told = (filters.session_id, filters.tables, filters.databases, filters.speaker)
    return told == (None, None, None, None)


def query_parameters(asked: RecallQuery) -> tuple[object, ...]:
    """Words, their weights, the vector, what it can be compared with, and how many are wanted."""
    weights, vector = weights_of(asked), asked.vector
    # As text: the driver takes ten times as long over an array of numbers.
    text = None if vector is None else vector_text(vector)
    return (list(weights), list(weights.values()), text, key_of_model(asked), asked.count)


def weights_of(asked: RecallQuery) -> dict[int, float]:
    """How much each word weighs, by the number that stands for it."""
    weights: dict[int, float] = {}
    for term, weight in asked.terms.items():
        key = term_key(term)
        weights[key] = weights.get(key, 0) + weight
    return weights


def key_of_model(asked: RecallQuery) -> int | None:
    """What stands for the model of vectors that the question's can be compared with."""
    if asked.vector is None or asked.model is None:
        return None
    return model_key(asked.model, len(asked.vector))


def rescoring_count(asked: RecallQuery) -> int:
    """How many are chosen by the signs of their vectors, to be compared by these."""
    return max(_CHOSEN_AT_LEAST, asked.count * _CHOSEN_FOR_EACH)
