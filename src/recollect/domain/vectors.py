"""The embeddings of texts."""

from math import fsum
from operator import mul

Vector = tuple[float, ...]
"""The embedding of a text, of length 1, so that cosines are dot products."""


def cosine(one: Vector, other: Vector) -> float:
    """Return how near two vectors of the same length are, from -1 to 1."""
    return fsum(map(mul, one, other))
