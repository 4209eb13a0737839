"""Which language a question is in, among the installed packs."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.languages import installed
from recollect.domain.message import Role

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE: Final = 400
_TOO_SHORT: Final = 4  # words: "En 2022?" could be Dutch, French or Spanish


def language_of(question: str, history: Sequence[Said]) -> str:
    """The language of a question; a short one is read together with the question before it."""
    if len(question.split()) >= _TOO_SHORT:
        return detect_language(question)
    asked = next((said.content for said in reversed(history) if said.role is Role.USER), "")
    return detect_language(f"{asked[:_SAMPLE]} {question}")


def detect_language(text: str) -> str:
    """The code of the installed language a text is most likely written in."""
    sample = text[:_SAMPLE].encode("utf-8", "replace").decode()
    code: str = _identifier().classify(sample)[0]
    return code


@cache
def _identifier() -> "LanguageIdentifier":
    """Loaded at the first question rather than at import: it takes a tenth of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 # see above

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(installed()))
    return identifier
