"""Which language a question is in, among those that there are words for."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.expletives import asks_about_user
from recollect.domain.followup.languages import installed, words_for

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE: Final = 400
_EARLIER: Final = 20  # messages
_CLEAR: Final = 2  # small words that a language must have more of than any other
_WORD: Final = re.compile(r"[^\W\d_]+")
_TOO_SHORT: Final = 4  # words: "En 2022?" could be Dutch, French or Spanish
_SURE: Final = 4.0  # natural logarithm: 55 times as likely as any other language


def language_of(question: str, history: Sequence[HistoryMessage]) -> str:
    """The language of a question.

    A short one whose words do not tell, or one without a small word of any language, is read
    together with the questions before it.
    """
    own = _language_of_short(question)
    if own is not None:
        return own
    text = question
    for message in reversed(history[-_EARLIER:]):
        is_short = len(text.split(maxsplit=_TOO_SHORT)) < _TOO_SHORT
        if not is_short and _has_small_word(text):
            break
        if message.role is Role.USER:
            text = f"{message.content[:_SAMPLE]} {text}"
    return detect_language(text)


def _language_of_short(question: str) -> str | None:
    """The language that a few words tell by themselves: "Wo wohne ich?"; None where they do not."""
    if len(question.split(maxsplit=_TOO_SHORT)) >= _TOO_SHORT:
        return None
    codes = [code for code in installed() if asks_about_user(question, words_for(code))]
    return codes[0] if len(codes) == 1 else _by_small_words(_sample(question))


def _has_small_word(text: str) -> bool:
    words = _words(_sample(text))
    return any(not words.isdisjoint(words_for(code).small_words) for code in installed())


def detect_language(text: str) -> str:
    """The code of the installed language a text is most likely written in."""
    sample = _sample(text)
    by_words = _by_small_words(sample)
    if by_words is not None:
        return by_words
    code: str = _identifier().classify(sample)[0]
    return code


def known_language(text: str) -> str | None:
    """The code of the installed language a text is certainly written in; None where unsure."""
    sample = _sample(text)
    by_words = _by_small_words(sample)
    if by_words is not None or len(_words(sample)) < _TOO_SHORT:
        return by_words
    (code, most), (_, others) = _identifier().rank(sample)[:2]
    return code if most - others >= _SURE else None


def _by_small_words(sample: str) -> str | None:
    """The language whose small words speak clearly; most questions need no statistics."""
    words = _words(sample)
    votes = sorted((len(words & words_for(code).small_words), code) for code in installed())
    (others, _), (most, code) = votes[-2:]
    return code if most - others >= _CLEAR else None


def _sample(text: str) -> str:
    return text[:_SAMPLE].encode("utf-8", "replace").decode()


def _words(sample: str) -> frozenset[str]:
    return frozenset(_WORD.findall(sample.lower()))


@cache
def _identifier() -> "LanguageIdentifier":
    """Loaded for the first unclear question rather than at import: it takes half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 # see above

    full = LanguageIdentifier.from_model_file(MODEL_FILE)
    full.set_languages(list(installed()))
    # A new one does not keep the numbers of the other 137 languages: 27 MB.
    return LanguageIdentifier(
        full.nb_ptc,
        full.nb_pc,
        full.nb_classes,
        full.tk_nextmove,
        full.tk_output,
        tk_row=full.tk_row,
    )


def load_languages() -> None:
    """Load now what the first questions would wait for: half a second of work."""
    detect_language("?")  # which no small word decides
