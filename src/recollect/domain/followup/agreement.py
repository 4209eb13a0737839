"""Verbs that agree in number with the words that have come in before or after them."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords

_PHRASE: Final = 3  # words that tell a phrase from others: "the youngest pet"
_MESSAGES: Final = 20
_READ: Final = 400  # characters of a message


def agreeing(rewrite: str, history: Sequence[HistoryMessage], known: LanguageWords) -> str:
    """As "What type is the youngest pet?" where "are they" has left "are the youngest pet".

    A phrase that had a singular verb before it when it was said has one again.
    """
    singular = {many: one for one, many in _forms(known)}
    words = [word for word in words_of(rewrite) if not word.is_sign]
    for place, word in enumerate(words):
        verb = singular.get(word.text.lower())
        phrase = tuple(one.text.lower() for one in words[place + 1 : place + 1 + _PHRASE])
        if verb is None or len(phrase) < _PHRASE or phrase[0] != known.the:
            continue
        said = map(spoken_words, _questions(history))
        if any(_has(message, (form, *phrase)) for message in said for form in singular.values()):
            return rewrite[: word.start] + verb + rewrite[word.end :]
    return rewrite


def _questions(history: Sequence[HistoryMessage]) -> Iterator[str]:
    for one in history[-_MESSAGES:]:
        if one.role is Role.USER and len(one.content) < _READ:
            yield one.content


@cache
def _forms(known: LanguageWords) -> list[tuple[str, str]]:
    """Verbs for one thing and for several that stand before it in a question.

    What follows "has" is had. A language that has no list of verbs has none of them.
    """
    before = known.helping_verbs | known.auxiliaries - known.owning_verbs
    return [pair for pair in known.plural_verbs.pairs.items() if pair[0] in before]


def _has(message: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return any(tuple(message[n : n + size]) == phrase for n in range(len(message) - size + 1))


def disagrees(rewrite: str, question: str, known: LanguageWords) -> bool:
    """Whether a singular verb follows "which" and a plural: "Which dogs is"; not as asked."""
    singular = {one for one, _ in _forms(known)}
    asks, endings = known.which.by_first_word, tuple(known.singular_endings)

    def found(text: str) -> set[tuple[str, str]]:
        words = spoken_words(text[:_READ])
        return {
            (noun, verb)
            for (asking, noun), (_, verb) in pairwise(pairwise(words))
            if asking in asks and verb in singular and noun.endswith("s")
            if not noun.endswith(endings)
        }

    return bool(found(rewrite) - found(question))
