"""How much a mention counts, by what it is and where it stands."""

from collections.abc import Iterable
from typing import Final

from recollect.domain.followup.grammar import Tag, Text
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.phrases import Phrase, is_adjective

ASKED_ABOUT: Final = 4.0
NAME_IN_QUESTION: Final = 3.0
ANSWER_SUBJECT: Final = 2.0
_PHRASE_IN_QUESTION: Final = 1.0
_ATTRIBUTE: Final = 0.5
_BARE_NOUN: Final = 0.3
_NAME_IN_ANSWER: Final = 0.8
_PHRASE_IN_ANSWER: Final = 0.3
_CLASS_WINDOW: Final = 8  # "Alien is a 1979 science fiction horror film"
_SENTENCE_OPENS_AFTER: Final = frozenset({"", ".", "!", "?"})
_PREDICATES: Final = frozenset({Tag.AUXILIARY, Tag.VERB})
_ENDS_PREDICATE: Final = frozenset({Tag.MARK, Tag.CLAUSE, Tag.AUXILIARY, Tag.VERB})


def content_words(said: Iterable[str], pack: LanguagePack) -> frozenset[str]:
    """The words that carry meaning."""
    return frozenset(word for word in said if word not in pack.closed)


def weigh_in_question(text: Text, phrase: Phrase, pack: LanguagePack) -> float:
    """How much a phrase of a question counts; nothing for dates and empty words."""
    if is_date(phrase, pack):
        return 0.0
    if not phrase.is_name:
        return _weigh_common(text, phrase, pack)
    if _is_lone_adjective(phrase, pack):
        return _ATTRIBUTE
    return ASKED_ABOUT if _is_asked_about(text, phrase, pack) else NAME_IN_QUESTION


def _weigh_common(text: Text, phrase: Phrase, pack: LanguagePack) -> float:
    said = content_words(phrase.words, pack)
    if not said - pack.adjectives - pack.empty_nouns - pack.small_talk - pack.document_nouns:
        return 0.0
    is_attribute = phrase.head in pack.attribute_nouns
    if len(phrase.words) == 1 and (is_attribute or phrase.head in pack.class_nouns):
        return _BARE_NOUN
    if is_attribute:
        return _ATTRIBUTE
    return NAME_IN_QUESTION if _is_asked_about(text, phrase, pack) else _PHRASE_IN_QUESTION


def is_telling(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    """Whether a phrase of a question names something one can come back to."""
    return weigh_in_question(text, phrase, pack) >= _PHRASE_IN_QUESTION


def weigh_in_answer(text: Text, phrase: Phrase, pack: LanguagePack) -> float:
    """How much a phrase of an answer counts: its subject most."""
    if is_date(phrase, pack) or (phrase.is_name and _is_lone_adjective(phrase, pack)):
        return 0.0
    if is_introduced(text, phrase, pack):
        return ANSWER_SUBJECT
    is_subject = phrase.before in _SENTENCE_OPENS_AFTER and (
        text.tag(phrase.last) in _PREDICATES or text.tag(phrase.last) is Tag.POSSESSIVE
    )
    if is_subject and phrase.head not in pack.attribute_nouns:
        return ANSWER_SUBJECT
    if phrase.is_name:
        return _NAME_IN_ANSWER
    return _PHRASE_IN_ANSWER if len(phrase.words) > 1 else 0.0


def is_introduced(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    """As in "a restaurant called …", "how about …?", "there is the …"."""
    if phrase.before in pack.naming_words:
        return True
    start = phrase.start
    if phrase.is_name and text.word(start - 2) in pack.place_adverbs:
        return True
    openers = pack.openers_by_word.get(text.word(0), ()) if start else ()
    return bool(openers) and text.words(0, start) in openers


def names_its_subject(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    """As in "meghna is a restaurant": a subject without article is a name, capital or not."""
    return (
        phrase.first == 0
        and text.tag(phrase.last) in _PREDICATES
        and not pack.is_plural(phrase.head)
    )


def classes_of(text: Text, phrase: Phrase, pack: LanguagePack) -> frozenset[str]:
    """What a name is called: "the film Alien", "Alien is a film"."""
    if not phrase.is_name:
        return frozenset()
    leads = {phrase.before}
    if phrase.before == ",":
        leads.add(text.word(phrase.first - 2))
    if text.tag(phrase.last) is Tag.AUXILIARY:
        leads |= _predicate(text, phrase.last + 1)
    return frozenset(leads & pack.class_nouns)


def with_complement(text: Text, phrase: Phrase, pack: LanguagePack) -> int:
    """Where a phrase ends: "the north part of town" is one thing, "the age of Ann" are two."""
    end = phrase.last
    if phrase.is_name or phrase.head in pack.attribute_nouns:
        return end
    if text.word(end) != pack.of and not _is_last_but_one(text, phrase, pack):
        return end
    begin = end + 1 + (text.tag(end + 1) is Tag.DETERMINER)
    stop = begin
    while text.tag(stop) is Tag.NOUN:
        stop += 1
    return stop if stop > begin else end


def _is_last_but_one(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    """As in "requirements for working at height": what ends the question belongs to its topic."""
    if text.tag(phrase.last) is not Tag.PREPOSITION or phrase.before not in pack.prepositions:
        return False
    place = phrase.last + 1
    while text.tag(place) in {Tag.DETERMINER, Tag.NOUN}:
        place += 1
    return place > phrase.last + 1 and text.tag(place) is Tag.MARK


def is_date(phrase: Phrase, pack: LanguagePack) -> bool:
    """Whether a phrase is nothing but numbers and units of time."""
    for word in phrase.words:  # noqa: SIM110 # asked of every phrase: a loop takes half the time
        if not (word in pack.date_words or word[0].isdigit()):
            return False
    return True


def _predicate(text: Text, start: int) -> set[str]:
    found: set[str] = set()
    for place in range(start, min(start + _CLASS_WINDOW, len(text.tokens))):
        if text.tags[place] in _ENDS_PREDICATE:
            break
        found.add(text.word(place))
    return found


def _is_asked_about(text: Text, phrase: Phrase, pack: LanguagePack) -> bool:
    """As in "Who is …?", "Tell me about …": the question is about nothing else."""
    if phrase.before == pack.about:
        return True
    lead = phrase.start - 1
    return lead == 1 and text.tag(1) is Tag.AUXILIARY and text.tag(0) is Tag.QUESTION


def _is_lone_adjective(phrase: Phrase, pack: LanguagePack) -> bool:
    """As in "Chinese" or "Italian" by itself names nothing one could come back to."""
    return len(phrase.words) == 1 and is_adjective(phrase.head, pack)
