"""Something else of what the last question asked about: "And the CFO?", "And how wide?"."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from recollect.domain.conversation.message import Role
from recollect.domain.followup.data_questions.nouns import is_acronym
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords
from recollect.domain.followup.rules.refinements import fragment_words

_NEED: Final = 0.95
_CONFIDENCE: Final = 0.8
_LONGEST: Final = 200  # characters of a question
_LONGEST_NOUN: Final = 3  # words
_LONGEST_NAME: Final = 5
_HOW: Final = 2  # words: "how wide"
_LAST_COPULA: Final = 2  # the place of "is": "¿", "cuál", "es"
_SHORT_IS: Final = "s"  # of "what's"
_BEGINNING: Final = 3  # words of a question: "¿", "quién", "es"
_PLURAL_COPULAS: Final = frozenset(("are", "were", "zijn", "waren", "sont", "son", "están"))
_PLURAL_ENDINGS: Final = ("s", "en")
_APOSTROPHES: Final = frozenset("'\u2019")


def counterpart_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords
) -> Proposal | None:
    """The question with what the last one asked about; None where that is not certain.

    "And the CFO?" after "Who is the CEO of Acme?" is about Acme, and so is "And the founder?": an
    abbreviation like the one before takes no name's place, nor does a noun for what names have. In
    languages whose nouns have capitals nothing is proposed.
    """
    last = next((one.content for one in reversed(history) if one.role is Role.USER), "")
    if not last or max(len(last), len(question)) > _LONGEST:
        return None
    if known.adding_starts.isdisjoint(spoken_words(question)[:1]):
        return None  # "No, I meant the country" corrects the question
    body, is_opened = fragment_words(question, known)
    if not (is_opened and body):
        return None
    old = words_of(last)
    if not known.pointers.isdisjoint(_lower(old)) or any(word.is_sign for word in body):
        return None
    return _other_degree(question, body, last, old, known) or _other_noun(
        question, body, last, old, known
    )


def _other_degree(
    question: str, body: Sequence[Word], last: str, old: Sequence[Word], known: LanguageWords
) -> Proposal | None:
    """As "And how wide?" after "How tall is the Eiffel Tower?"."""
    texts = _lower(old)
    if len(body) != _HOW or not known.how_words.issuperset((body[0].text.lower(), *texts[:1])):
        return None
    if texts[2:3] == [] or texts[2] not in known.copulas:
        return None
    new = body[1].text.lower()
    if new == texts[1] or not known.degrees.issuperset((new, texts[1])):
        return None  # "How far is Rome?" "And how long?" is about the way there
    return _proposal(f"{last[: old[1].start]}{new}{last[old[1].end :]}", question, last)


class _Owned(NamedTuple):
    """What the last question asks for, and the words from "of" on."""

    noun: Sequence[Word]
    of_name: Sequence[Word]


def _other_noun(
    question: str, body: Sequence[Word], last: str, old: Sequence[Word], known: LanguageWords
) -> Proposal | None:
    """As "And the CFO?" or "And the CFO of Globex?" after "Who is the CEO of Acme?"."""
    phrase = _asked_for(old, known)
    owned = _owned(phrase, known)
    if known.capital_determiners or owned is None or not owned.of_name:
        return None
    asked = _owned(body, known)
    if asked is None:
        return None
    are_alike = _are_alike(asked.noun, owned.noun)
    if not (are_alike or (tuple(_lower(asked.noun)) in known.owned_nouns and not asked.of_name)):
        return None
    text = question[body[0].start : body[-1].end]
    if not asked.of_name:
        text += f" {last[owned.of_name[0].start : owned.of_name[-1].end]}"
    if are_alike or _suits(asked.noun, body[0], old, phrase[0], known):
        return _proposal(f"{last[: phrase[0].start]}{text}{last[phrase[-1].end :]}", question, last)
    start = "¿" if question.lstrip().startswith("¿") else ""
    end = question[body[-1].end :].rstrip() or "?"
    return _proposal(f"{start}{text[0].upper()}{text[1:]}{end}", question, last)


def _suits(
    noun: Sequence[Word],
    article: Word,
    old: Sequence[Word],
    old_article: Word,
    known: LanguageWords,
) -> bool:
    """Whether the beginning of the last question suits another noun: "what is", not "who is"."""
    beginning = _lower(old)[:_BEGINNING]
    is_who = not known.who_words.isdisjoint(beginning)
    is_plural = not _PLURAL_COPULAS.isdisjoint(beginning)
    agrees = not known.contractions or article.text.lower() == old_article.text.lower()
    may_be_plural = noun[-1].text.lower().endswith(_PLURAL_ENDINGS)
    return agrees and not (is_who or is_plural or may_be_plural)


def _asked_for(words: Sequence[Word], known: LanguageWords) -> Sequence[Word]:
    """The words behind the only form of "be" of a question, without the marks at its end."""
    texts = _lower(words)
    places = [
        n
        for n, text in enumerate(texts)
        if text in known.copulas or (text == _SHORT_IS and texts[n - 1] in _APOSTROPHES)
    ]
    if len(places) != 1 or places[0] > _LAST_COPULA:
        return ()
    end = next((n for n, word in enumerate(words) if word.text in "?.!"), len(words))
    return words[places[0] + 1 : end]


def _owned(words: Sequence[Word], known: LanguageWords) -> _Owned | None:
    """A definite noun phrase, alone or with the name behind its only "of"."""
    texts = _lower(words)
    of_words = {known.of_word} | known.contractions
    places = [n for n, text in enumerate(texts) if n and text in of_words]
    if texts[:1] == [] or texts[0] not in known.name_articles - {known.of_word} or places[1:]:
        return None
    end = places[0] if places else len(words)
    noun, of_name = words[1:end], words[end:]
    name = [word for word in of_name[1:] if word.text.lower() not in known.articles]
    is_named = not any(map(_is_in_small_letters, name))
    if not 0 < len(noun) <= _LONGEST_NOUN or not all(_is_noun(word, known) for word in noun):
        return None
    if places and not (is_named and 0 < len(name) <= _LONGEST_NAME):
        return None
    return _Owned(noun, of_name)


def _is_noun(word: Word, known: LanguageWords) -> bool:
    text = word.text.lower()
    return text.isalpha() and text not in known.small_words | known.prepositions


def _is_in_small_letters(word: Word) -> bool:
    return word.text.islower()


def _are_alike(new: Sequence[Word], old: Sequence[Word]) -> bool:
    """Whether both are abbreviations that differ in one letter: "CFO" and "CEO", not "UK"."""
    if len(new) != 1 or len(old) != 1 or len(new[0].text) != len(old[0].text):
        return False
    letters = zip(new[0].text, old[0].text, strict=True)
    are_acronyms = is_acronym(new[0].text) and is_acronym(old[0].text)
    return are_acronyms and sum(one != two for one, two in letters) == 1


def _lower(words: Sequence[Word]) -> list[str]:
    return [word.text.lower() for word in words]


def _proposal(standalone: str, question: str, last: str) -> Proposal:
    return Proposal(
        standalone_question=standalone,
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'"{question.strip()}" is about what "{last.strip()}" asks about',),
    )
