"""Forms of words that their endings tell."""

from typing import Final

from recollect.domain.followup.languages import LanguageWords

_SHORTEST_PLURAL: Final = 4  # letters
_SIBILANTS: Final = ("ch", "sh", "ss", "x", "z")


def is_participle(word: str, known: LanguageWords) -> bool:
    """Whether a word may be a participle: "sailed", "sailing"."""
    return word.endswith((*known.past_endings, *known.present_endings))


def is_adverb(word: str, known: LanguageWords) -> bool:
    """Whether a word may be an adverb of another: "newly"."""
    return word.endswith(tuple(known.adverb_endings))


def is_superlative(word: str, known: LanguageWords) -> bool:
    """Whether a word names an extreme: "highest", and what else ends as it does."""
    return word in known.extremes or word.endswith(tuple(known.superlative_endings))


def plural(noun: str) -> str:
    """A noun with the ending of its plural; what seems to have one stays as it is."""
    if singular(noun) != noun:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in "aeou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_SIBILANTS) else f"{noun}s"


def singular(noun: str) -> str:
    """A noun without the ending of its plural, as far as that can be seen."""
    if noun.endswith("ies") and len(noun) > _SHORTEST_PLURAL:
        return f"{noun[:-3]}y"
    is_plural = noun.endswith("s") and not noun.endswith("ss") and len(noun) >= _SHORTEST_PLURAL
    return noun[:-1] if is_plural else noun
