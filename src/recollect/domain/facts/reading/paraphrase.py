"""Whether a sentence that a language model wrote says what its user said, and no more."""

from typing import Final

from recollect.domain.language import is_common_word, split_words

_KNOWN: Final = 0.6
"""Of the sentence's words that carry meaning, those that the user or the question has."""
_STEM: Final = 4  # letters that two forms of a word share
NEGATIONS: Final = frozenset(
    word
    for words in (
        "not no never cannot without nor neither",
        "niet geen nooit zonder",
        "nicht kein keine keinen keinem keiner nie niemals ohne",
        "pas jamais aucun aucune sans",
        "nunca jamás sin ni tampoco ningún ninguna",
    )
    for word in words.split()
)


def is_faithful(sentence: str, quote: str, heard: str) -> bool:
    """Whether a sentence tells what a quote tells, in words of what was heard.

    It denies what the quote denies and nothing else, brings no figure, and asks nothing.
    """
    if sentence.rstrip().endswith("?") or negates(sentence) != negates(quote):
        return False
    words, known = _words(sentence), _words(heard)
    if not {word for word in words if _has_digit(word)} <= set(known):
        return False
    meant = [word for word in words if not is_common_word(word)]
    stems = {word[:_STEM] for word in known}
    return sum(word[:_STEM] in stems for word in meant) >= _KNOWN * len(meant)


def negates(text: str) -> bool:
    """Whether a sentence denies something."""
    return any(word in NEGATIONS or word.endswith("n't") for word in _words(text))


def _words(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in split_words(text)]


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
