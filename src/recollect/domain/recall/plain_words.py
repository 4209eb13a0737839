"""Words as they are said."""

from collections.abc import Sequence

from recollect.domain.recall.words import words_of


class PlainWords:
    """Implements `recollect.ports.words.WordStems` without any knowledge of languages."""

    def stems(self, text: str, *, language: str | None = None) -> Sequence[str]:  # noqa: ARG002  # the port's signature
        """The words of a text: nothing but the same word is found by it."""
        return list(words_of(text))
