"""The words of a question, as they are looked for."""

from itertools import islice
from typing import Final

from recollect.domain.followup.languages import installed
from recollect.domain.recall.words import words_of
from recollect.domain.summary.language import is_common_word
from recollect.ports.words import WordStems

_TOO_FEW: Final = 4
"""So many words or fewer do not tell their language: 'sales' would pass for Spanish."""
_OTHER_LANGUAGES: Final = 0.7


def terms_of(question: str, stems: WordStems, *, language: str | None = None) -> dict[str, float]:
    """The stems of a question with their weights.

    A short question is looked for in every language: what was said was read in its own.
    """
    terms = dict.fromkeys(stems.stems(question, language=language), 1.0)
    words = list(islice(words_of(question), _TOO_FEW + 1))
    if len(words) > _TOO_FEW:
        return terms
    telling = " ".join(word for word in words if not is_common_word(word))
    for other in installed():
        for stem in stems.stems(telling, language=other):
            terms.setdefault(stem, _OTHER_LANGUAGES)
    return terms
