"""Noun phrases for the rows of a question to data, and their parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.domain.followup.data_questions.endings import is_participle, plural, singular
from recollect.domain.followup.edits import Word, words_of
from recollect.domain.followup.languages import LanguageWords

_HYPHEN: Final = "-"
_LONGEST_NOUN: Final = 3  # words: "template type code"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPhrase:
    """The rows that a question asks for: "the names of the singers from France"."""

    text: str
    """With its article."""
    owner: str
    """What the named properties belong to: "the singers from France"; else the same."""
    counted: str
    """What "How many …" counts, without an article."""
    predicate: str = ""
    """What is said of `counted`, where the question has a verb: "land in Lisbon"."""
    whole: str = ""
    """Where the question is about some of the rows, all of them."""
    verb: str = ""
    """And the verb of what it says of some."""
    is_restricted: bool = True
    subject: str = ""
    """Who or what the question tells something of, where that is not what it asks for."""
    counting: str = ""
    """The question with "how many", where its verb stands before its subject."""
    counted_object: str = ""
    """What is counted of the rows: "masts", of "which have two masts"."""
    sort_key: str = ""
    """What the rows are sorted by: "the number of arriving flights"."""


def part_from(phrase: str, noun: str, known: LanguageWords) -> str | None:
    """A phrase from its noun on: "the countries in Africa" of "the names of the countries in …"."""
    words = words_of(phrase)
    texts = [word.text.lower() for word in words]
    wanted = noun.lower()
    same = [n for n, text in enumerate(texts) if text == wanted]
    alike = [n for n, text in enumerate(texts) if singular(text) == singular(wanted)]
    heads = {n for n in alike if not _is_modifier(texts, n, known)}
    same, alike = ([n for n in places if n in heads] for places in (same, alike))
    if not alike:
        return _without_modified(phrase, words, texts, wanted, known)
    place = (same or alike)[0]
    first = place
    small = known.small_words - known.extremes
    while first > 0 and _goes_on(words, first - 1, small):
        first -= 1
    before = phrase[words[first].start : words[place].start]
    rest = texts[place + 1 : place + 3]
    forms = known.plural_verbs.pairs
    if not same and len(rest) > 1 and rest[1] in forms:  # "each country that does" but one noun
        verb = words[place + 2]
        after = f" {rest[0]} {forms[rest[1]]}{phrase[verb.end :]}"
    else:
        after = phrase[words[place].end :]
    return f"{known.the} {before}{noun}{after}"


def _goes_on(words: Sequence[Word], place: int, small: frozenset[str]) -> bool:
    """Whether a word belongs to the noun phrase after it, as both parts of "two-masted" do."""
    word, following = words[place], words[place + 1]
    if word.text == _HYPHEN:
        return place > 0 and words[place - 1].end == word.start and word.end == following.start
    is_joined = following.text == _HYPHEN and word.end == following.start
    return word.text.isalnum() and (is_joined or word.text.lower() not in small)


def _without_modified(
    phrase: str, words: Sequence[Word], texts: Sequence[str], wanted: str, known: LanguageWords
) -> str | None:
    """Of "the boat ids that won", for "boats": the boats that won."""
    places = [n for n, text in enumerate(texts[:-1]) if singular(text) == singular(wanted)]
    starts = known.restrictions | known.prepositions
    if len(places) != 1 or texts[places[0] + 1] not in known.identifiers:
        return None
    end = places[0] + 2
    follows = texts[end : end + 1]
    is_end = not follows or follows[0] in starts - {known.of_word}
    return f"{known.the} {wanted}{phrase[words[end - 1].end :]}" if is_end else None


def _is_modifier(texts: Sequence[str], place: int, known: LanguageWords) -> bool:
    """Whether a noun belongs to the one after it: the "car" of "car ids"."""
    following = texts[place + 1] if place + 1 < len(texts) else ""
    verbs = known.data_verbs | known.auxiliaries
    return (
        following.isalpha()
        and following not in known.small_words | verbs
        and not is_participle(following, known)
    )


def all_of(phrase: str, known: LanguageWords) -> str | None:
    """A phrase for all rows: "the boats of 1990" of "each boat of 1990"; None where unclear.

    What begins with another word stays as it is.
    """
    first, _, rest = phrase.partition(" ")
    if first.lower() not in known.each:
        return phrase
    words = rest.split(" ")
    ends = known.prepositions | known.restrictions
    head = next((n for n, word in enumerate(words) if word.lower() in ends), len(words)) - 1
    nouns = words[: head + 1]
    if not 0 < len(nouns) <= _LONGEST_NOUN or not all(word.isalpha() for word in nouns):
        return None
    return " ".join((known.the, *nouns[:-1], plural(nouns[-1]), *words[head + 1 :]))


def is_plural(phrase: str, known: LanguageWords) -> bool:
    """Whether a phrase is about more than one thing, as far as that can be seen."""
    words = [word.text.lower() for word in words_of(phrase)]
    ends = known.prepositions | known.restrictions
    head = next((n for n, word in enumerate(words) if word in ends), len(words)) - 1
    return head >= 0 and singular(words[head]) != words[head]


def is_acronym(word: str) -> bool:
    """Whether a word is one of capitals: "US" is no "us"."""
    return len(word) > 1 and word.isupper()


def is_bound(words: Sequence[str], place: int, known: LanguageWords) -> bool:
    """Whether a pointer may mean a noun before it: "the courses they teach", not "of their"."""
    if words[place] not in known.bound_pointers or not place:
        return False
    if not known.each.isdisjoint(words[:place]):
        return True  # "for each boat, how many masts does it have"
    follows = {known.of_word} | known.auxiliaries | known.helping_verbs  # "where are they"
    if (
        words[place - 1] in follows
        and words[place] not in known.row_possessives - known.person_possessives
    ):
        return False
    if words[place - 1] == known.of_word:
        return False
    before = words[:place]
    if words[place] in known.single_pointers:
        before = [word for word in before if singular(word) == word]  # "sailors like him"
    return _has_content(before, known)


def _has_content(words: Sequence[str], known: LanguageWords) -> bool:
    """Whether a pointer after these words may mean one of them."""
    plain = (known.small_words | known.requests | known.figures) - {known.people}
    return any(word[0].isalnum() and word not in plain for word in words)


def of_which_each(text: str, known: LanguageWords) -> str:
    """As what "each of" is followed by: "the singers", not "all singers"."""
    words = text.split()
    while len(words) > 1 and words[0].lower() in known.quantifiers:
        words = words[1:]
    return f"{known.the} {' '.join(words)}"
