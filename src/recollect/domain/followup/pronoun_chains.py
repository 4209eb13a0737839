"""Pronouns that the user goes on using: "Where was she born?", … "How did she die?".

They keep their meaning, whomever the replies name, until the user names somebody else.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.rules import is_data_talk

_LONGEST: Final = 400  # characters of a message in a chain
_MESSAGES: Final = 20  # of a history
_NEED: Final = 0.95
_LASTING: Final = 0.97
"""How often a pronoun that the user repeats still means the same."""
_AGREED: Final = 0.9
"""How often two readings are right that agree and would both be wrong by chance."""
_NAME: Final = 2  # words

Propose = Callable[[str, Sequence[HistoryMessage]], Proposal]


class _Pronoun(NamedTuple):
    """A pronoun in a question, and all forms of it."""

    place: int
    forms: frozenset[str]


def chained_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, propose: Propose
) -> Proposal | None:
    """The question with what its pronoun has meant since the user first used it.

    `propose` reads that first question. None where it is not plain what the pronoun meant there.
    """
    pronoun = _free_pronoun(question, known)
    if pronoun is None or not _asks(question, known):
        return None
    if not pronoun.forms.isdisjoint(known.row_pointers) and is_data_talk(history, known):
        return None  # "they" are the rows of the last answer
    start = _start(history, pronoun.forms, known)
    if start is None:
        return None
    first = propose(history[start].content, history[:start])
    referent = _referent(history[start].content, first, known)
    if referent is None or not (
        pronoun.forms.isdisjoint(known.thing_pronouns) or _is_full_name(referent)
    ):
        return None
    return Proposal(
        standalone_question=_with_referent(question, pronoun.place, referent, known),
        need=_NEED,
        confidence=_LASTING * first.confidence,
        explanations=(f'"{words_of(question)[pronoun.place].text}" stands for "{referent}"',),
        topic=referent,
    )


def agreed(chained: Proposal, read: Proposal) -> Proposal | None:
    """A chained candidate as sure as it is with another reading that means the same person."""
    if not chained.topic:
        return None
    before = chained.standalone_question.partition(chained.topic)[0]
    if not _letters(read.standalone_question).startswith(_letters(before + chained.topic)):
        return None
    doubt = (1 - chained.confidence) * (1 - read.confidence)
    return replace(chained, confidence=_AGREED * (1 - doubt))


def combined(first: Proposal, second: Proposal) -> Proposal:
    """Two changes of one question, of which the second was made after the first."""
    return replace(
        second,
        need=max(first.need, second.need),
        confidence=min(first.confidence, second.confidence),
        explanations=first.explanations + second.explanations,
    )


def points_back(question: str, known: LanguageWords) -> bool:
    """Whether a question has a word that may point to something said before."""
    pointers = known.pointers | known.noun_pointers
    return any(word.text.lower() in pointers for word in words_of(question))


def _start(
    history: Sequence[HistoryMessage], forms: frozenset[str], known: LanguageWords
) -> int | None:
    """Where the user began to use a pronoun that was not needed for anybody else since."""
    start = None
    for place in range(len(history) - 1, max(-1, len(history) - 1 - _MESSAGES), -1):
        if history[place].role is not Role.USER:
            continue
        text = history[place].content
        pronoun = _free_pronoun(text, known)
        if pronoun is not None and pronoun.forms == forms:
            start = place
        elif not _names_nobody(text, known):
            break
    asked = [one.content for one in history if one.role is Role.USER]
    return None if asked and _asks_who(asked[-1], known) else start


def _asks_who(question: str, known: LanguageWords) -> bool:
    """Whether the answer to a question may be who is meant next: "Who taught him?"."""
    return any(word.text.lower() in known.who_words for word in words_of(question[:_LONGEST]))


def _free_pronoun(text: str, known: LanguageWords) -> _Pronoun | None:
    """The only person that a message means by a pronoun, if nobody in it can be meant."""
    if len(text) > _LONGEST:
        return None
    words = words_of(text)
    found = [
        _Pronoun(place, frozenset(forms))
        for place, word in enumerate(words)
        for forms in known.person_pronouns
        if word.text.lower() in forms
    ]
    if not found or len({one.forms for one in found}) > 1:
        return None
    return None if _is_bound(words, found[0].place, known) else found[0]


def _is_bound(words: Sequence[Word], place: int, known: LanguageWords) -> bool:
    """Whether a pronoun may mean something that its own sentence names before it.

    The same clause can do that for possessives alone: "Did Tom like him?", "Did Tom sell his car?".
    """
    before = words[:place]
    if any(word.is_sign or word.text.lower() in known.conjunctions for word in before[1:]):
        return True
    if words[place].text.lower() not in known.owning_pronouns:
        return False
    content = [word for word in before if word.text.lower() not in known.small_words]
    return len(content) > 1 or any(word.text[0].isupper() for word in content)


def _asks(question: str, known: LanguageWords) -> bool:
    first = words_of(question)[0].text.lower()
    return "?" in question or first in known.question_words | known.auxiliaries | known.helping_verbs


def _names_nobody(text: str, known: LanguageWords) -> bool:
    """Whether a message is a question in between: "When was that?", "What else happened?"."""
    if len(text) > _LONGEST:
        return False
    words = words_of(text)
    spoken = {word.text.lower() for word in words}
    persons = (forms for forms in known.person_pronouns if known.thing_pronouns.isdisjoint(forms))
    if any(not spoken.isdisjoint(forms) for forms in persons) or _asks_who(text, known):
        return False
    shows_names = text[:1].isupper()  # in small letters they cannot be told
    has_name = any(word.text[0].isupper() for word in words[1:])
    return not has_name and (shows_names or not spoken.isdisjoint(known.pointers))


def _referent(question: str, proposal: Proposal, known: LanguageWords) -> str | None:
    """What a rewrite has put in the place of the pronoun; None if that is not all it has done."""
    pronoun = _free_pronoun(question, known)
    if pronoun is None or not proposal.topic:
        return None
    replaced = _with_referent(question, pronoun.place, proposal.topic, known)
    is_all = _letters(proposal.standalone_question).startswith(_letters(replaced))
    return proposal.topic if is_all else None


def _is_full_name(referent: str) -> bool:
    return sum(word[0].isupper() for word in referent.split()) >= _NAME


def _with_referent(question: str, place: int, referent: str, known: LanguageWords) -> str:
    words = words_of(question)
    word = words[place]
    following = words[place + 1] if place + 1 < len(words) else None
    owns = (
        word.text.lower() in known.owning_pronouns
        and following is not None
        and not following.is_sign
        and following.text.lower() not in known.small_words
    )
    return question[: word.start] + referent + ("'s" if owns else "") + question[word.end :]


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())
