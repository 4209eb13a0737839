"""Fragments that edits force into a question which has no place for them: "And my wife?"."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Insertion, Word
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.confidence import NEAR_BEGINNING
from recollect.models.followup.edited_question import EditedQuestion

_SENTENCE_ENDS: Final = frozenset(".?!")
_PAIR: Final = 2  # words
_NOUN_PHRASE: Final = (2, 3)  # words, with the article


def has_no_place(edited: EditedQuestion) -> bool:
    """Whether a fragment is put into a question that does not ask for such a thing.

    "And my wife?" after "How do I fix my dishwasher?" is not "How do I fix my wife?".
    """
    known = edited.known
    length = starting_phrase(edited.texts, known.openers)
    tail = edited.texts[length:]
    if not length or not tail or edited.texts[0] not in known.adding_starts:
        return False
    dropped = _dropped(edited)
    own = [n for n, word in enumerate(edited.words) if not word.is_sign][length:]
    return (
        _is_about_person(tail, dropped, known)
        or known.next_steps.issuperset(tail)
        or _changes_topic(edited, tail)
        or _replaces_name([edited.words[n] for n in own], dropped, known)
        or _mixes_sentences(edited, tail)
        or _loses_preposition(edited, own[0])
        or _loses_article(edited, own[0])
        or _loses_owner(edited, own)
        or _loses_question(edited, own)
    )


def _dropped(edited: EditedQuestion) -> list[tuple[str, Word]]:
    """What a question loses behind its beginning, each word with the one before it."""
    first = edited.first.span
    source = edited.source(edited.first)
    if source.role is not Role.USER:
        return []
    taken = {
        place
        for one in edited.edits.insertions
        if one.span.block == first.block
        for place in range(one.span.first, one.span.last + 1)
    }
    sentence = _sentence(source.words, first.first)
    return [
        (source.words[n - 1].text.lower() if n > sentence.start else "", source.words[n])
        for n in sentence
        if n not in taken and not source.words[n].is_sign
    ]


def _sentence(words: Sequence[Word], place: int) -> range:
    """The places of the sentence that a word stands in."""
    ends = [n for n, word in enumerate(words) if word.text in _SENTENCE_ENDS]
    start = max((n + 1 for n in ends if n < place), default=0)
    return range(start, min((n for n in ends if n >= place), default=len(words)))


def _is_about_person(
    tail: Sequence[str], dropped: Sequence[tuple[str, Word]], known: LanguageWords
) -> bool:
    """Whether a fragment names a person, and nobody in the last question goes for them."""
    if known.speakers.issuperset(tail):
        return True
    is_person = len(tail) == _PAIR and tail[0] in known.before_nouns and tail[1] in known.persons
    has_capital = tail[0] in known.capital_determiners
    return is_person and not any(
        _is_person(before, word, known, nouns_have_capitals=has_capital) for before, word in dropped
    )


def _is_person(before: str, word: Word, known: LanguageWords, *, nouns_have_capitals: bool) -> bool:
    """Whether a word is a noun or pronoun for a person, or a name that is not that of a place."""
    if word.text.lower() in known.persons | known.person_pronouns | known.speakers:
        return True
    is_name = word.text[0].isupper() and bool(before) and before not in known.before_nouns
    may_be_noun = nouns_have_capitals and before not in known.name_leads
    return is_name and not may_be_noun and before not in known.place_prepositions


def _changes_topic(edited: EditedQuestion, tail: Sequence[str]) -> bool:
    """Whether a fragment is about the weather, a joke or a meal, and the last question is not."""
    said = {word.text.lower() for word in edited.last_question}
    meals = edited.known.meals if edited.is_data else frozenset()
    topics = (*map(frozenset, edited.known.topics), meals)
    return any(not topic.isdisjoint(tail) and topic.isdisjoint(said) for topic in topics)


def _replaces_name(
    tail: Sequence[Word], dropped: Sequence[tuple[str, Word]], known: LanguageWords
) -> bool:
    """Whether "the pool" takes the place of a name: "the opening hours of the library in the pool".

    German nouns all have capitals: there a name is what has no article.
    """
    if dropped and _replaces_time(tail[0], dropped[0], known):
        return True
    if len(tail) not in _NOUN_PHRASE or tail[0].text.lower() not in known.articles or not dropped:
        return False
    before, first = dropped[0]
    is_name = first.text[0].isupper() and before != ""
    if tail[-1].text.islower():
        return is_name
    is_noun = tail[0].text.lower() in known.capital_determiners
    return is_name and is_noun and before not in known.before_nouns


def _replaces_time(first: Word, dropped: tuple[str, Word], known: LanguageWords) -> bool:
    """Whether "my pay" takes the place of a time: "the turnover in my pay", of "in March"."""
    before, word = dropped
    text = word.text.lower()
    is_time = text in known.months | known.weekdays or text[0].isdigit()
    follows = first.text.lower() in known.before_nouns and before in known.prepositions
    return is_time and follows


def _mixes_sentences(edited: EditedQuestion, tail: Sequence[str]) -> bool:
    """Whether what follows a fragment stood in another sentence than what it follows.

    "What should I buy for my mother has a birthday?" has the sentence before the question in it.
    """
    first, source = edited.first, edited.source(edited.first)
    is_users = source.role is Role.USER
    if not is_users or not edited.known.others_possessives.isdisjoint(tail):
        return False
    sentence = _sentence(source.words, first.span.first)
    return any(
        one.gap > first.gap
        and not one.connector
        and (one.span.block != first.span.block or one.span.first not in sentence)
        for one in edited.edits.insertions[1:]
    )


def _loses_preposition(edited: EditedQuestion, place: int) -> bool:
    """Whether a fragment's preposition goes, and no other stands there: "the cake fan oven"."""
    is_preposition = edited.text_at(place) in edited.known.prepositions
    before = [one for one in edited.edits.insertions if one.gap <= place + 1]
    is_lost = place in edited.edits.deleted and is_preposition and bool(before)
    return is_lost and not _ends_with_preposition(edited, before[-1])


def _loses_article(edited: EditedQuestion, place: int) -> bool:
    """Whether a fragment loses its article behind "of", where a name stood: "the CEO of CFO".

    Where both become one word, as in "du", that cannot be told.
    """
    known = edited.known
    is_article = edited.text_at(place) in known.name_articles - {known.of_word}
    if place not in edited.edits.deleted or not is_article or known.contractions:
        return False
    before = [one for one in edited.edits.insertions if one.gap <= place + 1]
    ends = edited.inserted(before[-1])[-1:] if before else ()
    return any(word.text.lower() == known.of_word for word in ends)


def _ends_with_preposition(edited: EditedQuestion, insertion: Insertion) -> bool:
    ends = {word.text.lower() for word in edited.inserted(insertion)[-_PAIR:]}
    prepositions = edited.known.prepositions | edited.known.contractions
    return bool(insertion.connector) or not ends.isdisjoint(prepositions)


def _loses_owner(edited: EditedQuestion, own: Sequence[int]) -> bool:
    """Whether "his" goes and nobody comes in for it: "What do I buy for wife?"."""
    gaps = {one.gap for one in edited.edits.insertions}
    return any(
        place in edited.edits.deleted
        and edited.text_at(place) in edited.known.others_possessives
        and gaps.isdisjoint(range(place, place + 4))
        for place in own
    )


def _loses_question(edited: EditedQuestion, own: Sequence[int]) -> bool:
    """Whether a question's end follows a fragment without its beginning: "The bike of Tom?".

    A fragment that asks by itself needs none: "And which currency?", "And is it in force?".
    """
    insertions = edited.edits.insertions
    if _asks_by_itself(edited, [edited.text_at(place) for place in own]):
        return False
    if not edited.edits.deleted.isdisjoint(own) or edited.first.gap <= own[0]:
        return False
    sources = map(edited.source, insertions)
    asks = all(source.role is Role.USER and "?" in source.text for source in sources)
    return asks and all(one.span.first >= NEAR_BEGINNING for one in insertions)


def _asks_by_itself(edited: EditedQuestion, own: Sequence[str]) -> bool:
    """Whether a fragment is a question but for what it is asked of.

    It has a verb, or what comes in behind it has: "And which currency?" after "Which area code has
    Malta?", in whose place of the same words it stands. "And how sure?" has none.
    """
    known = edited.known
    verbs = known.finite_verbs | known.copulas
    if own[0] not in known.question_words:
        return own[0] in known.finite_verbs
    if not verbs.isdisjoint(own[1:]):
        return True
    last = edited.last_question
    signs = next((n for n, word in enumerate(last) if not word.is_sign), 0)
    asks_alike = [word.text.lower() for word in last[signs : signs + 1]] == [own[0]]
    is_parallel = asks_alike and edited.first.span.first == signs + len(own)
    follows = [word.text.lower() for word in edited.inserted(edited.first)[:1]]
    if own[0] in known.how_words and len(own) == _PAIR:
        return not verbs.isdisjoint(follows)  # "How deep to swim in the Nile?" lacks one
    goes_on = verbs | known.prepositions | known.contractions
    return len(own) > 1 and (is_parallel or not goes_on.isdisjoint(follows))
