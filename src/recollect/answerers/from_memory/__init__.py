"""Answers without a model: what is known and was said before, quoted with its dates."""

from recollect.answerers.from_memory.answerer import FromMemory

__all__ = ["FromMemory"]
