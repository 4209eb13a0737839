"""The words of each language that reading follow-ups needs: a TOML file each.

`docs/how-to/add-a-language.md` tells how to add one.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.domain.followup.languages.grammar import GrammarWords
from recollect.domain.followup.languages.phrases import PhraseList, phrase_places, starting_phrase

_INSTALLED: Final = ("en", "nl", "de", "fr", "es")
_FRAGMENTS: Final = ("openers", "only", "without", "leave_out", "group", "order", "sort")
_BEFORE_NOUNS: Final = ("articles", "possessives")
DEFAULT_LANGUAGE: Final = "en"
__all__ = [
    "DEFAULT_LANGUAGE",
    "LanguageWords",
    "PhraseList",
    "installed",
    "phrase_places",
    "read_words",
    "starting_phrase",
    "words_for",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LanguageWords(GrammarWords):
    """Words and phrases in small letters; what the file of a language leaves out is empty.

    There is one object for each language, equal to itself alone, so that it can be a cache's key.
    """

    small_words: frozenset[str]
    """Words with a grammatical use; they tell the language of a text."""
    pointers: frozenset[str]
    """Words that point to something said before."""
    small_talk: frozenset[str]
    closing_words: frozenset[str]
    """Words such as "thanks": what follows them asks nothing."""
    questions_back: PhraseList
    """Questions to the assistant that belong to small talk: "and you"."""
    requests: frozenset[str]
    """Imperatives that open a request."""
    months: frozenset[str]
    weekdays: frozenset[str]
    number_words: frozenset[str]
    prepositions: frozenset[str]
    articles: frozenset[str]
    contractions: frozenset[str]
    """Prepositions that contain an article: "du", "zum"."""
    openers: PhraseList
    """How a fragment begins that changes the last question: "what about"."""
    trailing: frozenset[str]
    """Words that say nothing at the end of a fragment: "please"."""
    instead: PhraseList
    """What follows them is what no longer holds: "instead of"."""
    idioms: PhraseList
    """How messages begin that look like a fragment and change nothing: "by the way"."""
    form_words: frozenset[str]
    """Words about the form of a reply, or about the conversation: "paragraph", "French"."""
    only: PhraseList
    without: PhraseList
    leave_out: PhraseList
    """Commands that mean `without_word`."""
    group: PhraseList
    order: PhraseList
    sort: PhraseList
    """Commands that mean `sorted_by`."""
    limit: PhraseList
    group_words: frozenset[str]
    """The prepositions of a grouping: "by", "per"."""
    without_word: str
    sorted_by: str
    data_questions: PhraseList
    """How questions to data begin: "how many"."""
    ordinals: PhraseList
    """The forms of "first", of "second" and so on."""
    which: PhraseList
    """How a question begins that compares things: "which one"."""
    or_word: str
    last_words: frozenset[str]
    statement_words: frozenset[str]
    """Words that begin a statement or an answer: "I", "yes"."""
    item_words: frozenset[str]
    """Nouns that may follow an ordinal: "the second one"."""
    of_them: PhraseList
    of_word: str
    adverb_beginnings: frozenset[str]
    """What stands before a preposition in "daarvoor" or "dafür"."""
    data_requests: PhraseList
    """How requests for data begin: "show me"."""
    data_copulas: PhraseList
    """How questions begin that name what they ask for: "what are"."""
    wh_words: PhraseList
    """What asks for rows: "which", "how many"."""
    counts: PhraseList
    """What stands before the things that are counted: "the number of"."""
    among: frozenset[str]
    among_word: str
    among_them: PhraseList
    """How a question about some of the rows begins: "of those"."""
    which_of_them: PhraseList
    """The same with the word that asks: "which of them"."""
    how_many: PhraseList
    count_rest: frozenset[str]
    """Words that "how many" alone may be followed by."""
    there_are: PhraseList
    auxiliaries: frozenset[str]
    helping_verbs: frozenset[str]
    """Verbs of a question that a statement has not, but for "not"."""
    data_verbs: frozenset[str]
    """Verbs that may follow the noun after "which"."""
    predicate_starts: frozenset[str]
    """Words that no noun phrase begins with."""
    not_word: str
    and_word: str
    the: str
    that: str
    owner_prepositions: frozenset[str]
    """What stands between properties and what has them: "of"."""
    determiners: frozenset[str]
    row_pointers: frozenset[str]
    """Words that point to rows."""
    single_pointers: frozenset[str]
    """Words that point to a single row, or to the whole."""
    row_possessives: frozenset[str]
    row_determiners: frozenset[str]
    """Pointers that may stand before a noun: "those countries"."""
    restrictions: frozenset[str]
    """Words that begin what restricts a pointer: "those with"."""
    instead_word: str
    row_nouns: frozenset[str]
    """Nouns for the rows of any question."""
    extremes: frozenset[str]
    """Words that take each other's place: "the highest", "the lowest"."""
    extreme_leads: PhraseList
    """What may stand before them in a fragment."""
    conditions: frozenset[str]
    """Words that begin a condition."""
    inner_prepositions: frozenset[str]
    """Prepositions within a phrase, which restrict nothing: "than"."""
    comparing: frozenset[str]
    """Words that begin a comparison with a value."""
    personal: frozenset[str]
    """Words of remarks, which change no question."""
    bare_questions: PhraseList
    """What asks for rows without naming them."""
    it: str
    never_before_articles: frozenset[str]
    """Question words that no article follows."""
    plural_verbs: PhraseList
    past_endings: frozenset[str]
    """How the participles of past verbs end, and of present ones."""
    present_endings: frozenset[str]
    adverb_endings: frozenset[str]
    superlative_endings: frozenset[str]
    singular_endings: frozenset[str]
    """The endings of nouns that only look like a plural: "news"."""
    properties: frozenset[str]
    """Nouns for what things have: what follows "of" is then meant."""
    quantifiers: frozenset[str]
    each: frozenset[str]
    bound_pointers: frozenset[str]
    """Pointers that may mean a noun of their own sentence."""
    additions: frozenset[str]
    """Words of a question that adds to the last one, or replaces a part of it."""
    as_well: PhraseList
    """The same as two words at its end: "as well"."""
    figures: frozenset[str]
    directions: PhraseList
    """How the direction of an order is said: "in descending order"."""
    from_to: PhraseList
    magnitudes: frozenset[str]
    """Words that a direction may go from and to: "from high to low"."""
    sort_by_word: str
    ordering_rest: frozenset[str]
    """Words that say nothing more in a fragment about the order."""
    restriction_nouns: frozenset[str]
    """Nouns for what restricts a question: "filter"."""
    only_words: frozenset[str]
    """Words that leave all else out: "just"."""
    bounds: PhraseList
    """How a bound of numbers or times begins: "more than"."""
    replace_words: frozenset[str]
    """Commands that name an old and a new value."""
    replaced_by: frozenset[str]
    """What stands between these."""
    adding_words: frozenset[str]
    """Commands that ask for more beside what was asked for."""
    double_possessives: PhraseList
    """Possessives for anybody: "his or her"."""
    who: str
    those: str
    people: str
    the_one: str
    relatives: frozenset[str]
    """Words that begin a clause about a noun."""
    whose_word: str
    their: str
    figure_of: frozenset[str]
    """Figures that "of" follows: "the sum of"."""
    narrowing: PhraseList
    """Commands for fewer rows: "limit"."""
    keep_word: str
    narrowing_rest: frozenset[str]
    """Words after these that say nothing more."""
    identifiers: frozenset[str]
    """Nouns for what stands for a thing: "customer ids"."""
    above_words: frozenset[str]
    """What stands before a noun for the rows: "the above results"."""
    adverbs: frozenset[str]
    """Words before a request that say nothing: "now"."""
    noun_pointers: frozenset[str]
    """Words that point back where a noun follows: "that harbour"."""
    also_word: str
    wh_openers: frozenset[str]
    """Question words that begin a question of its own."""
    year_shifts: PhraseList
    """How a year beside the one asked for is said, each with the years that it is later."""

    expletive_questions: PhraseList
    """Questions whose "it" means nothing: "what time is it"."""
    moment_words: frozenset[str]
    """Words about now and here that may follow these: "outside"."""
    yes_words: frozenset[str]
    self_questions: PhraseList
    """Questions of users for themselves: "how old am i"."""
    comparison_words: frozenset[str]
    """Words that a comparison needs something behind: "than"."""
    about_nouns: frozenset[str]
    """Nouns for what is known of things, which are not counted: "information"."""
    about_words: frozenset[str]
    """What stands between these and the things."""
    name_adjectives: frozenset[str]
    """Adjectives before "name", which no thing has as its name."""
    belonging_verbs: frozenset[str]
    """Verbs of what belongs to a thing, not of the thing itself."""
    counted_extremes: frozenset[str]
    """Extremes of what is counted: "the most"."""
    averages: frozenset[str]
    with_word: str
    possessive_articles: PhraseList
    """Possessives, each with the article that takes its place: "its weight", "the weight of"."""
    plural_endings: frozenset[str]
    """The endings of the nouns that these articles suit; none where they suit all."""
    lone_pronouns: frozenset[str]
    """Pronouns that stand for a noun with its article."""
    past_verbs: PhraseList
    """Verbs as they stand in the past, each with the form after "did not"."""
    past_helping: str
    no_word: str
    there: str
    number_one: str
    pair_words: frozenset[str]
    """Words for two things that were named before."""

    pronoun_forms: PhraseList
    """The forms of each pronoun that means a person, or several: "he him his"."""
    owning_pronouns: frozenset[str]
    """Those of them that say whose something is."""
    thing_pronouns: frozenset[str]
    """Those that may mean things, too."""
    asking_for_persons: frozenset[str]
    """Question words: "who", "whose"."""
    several_persons: frozenset[str]
    """Nouns that "he" or "she" cannot mean: "parents"."""
    clause_starts: frozenset[str]
    """Words that begin another clause."""
    never_before_persons: frozenset[str]
    """What stands before places and not before persons."""
    name_modifiers: frozenset[str]
    """Words that make another name of a name: "New Mexico"."""

    fragments: PhraseList
    """All that a fragment of another question may begin with."""
    before_nouns: frozenset[str]
    """What a noun follows: articles, and the possessives of speakers."""


def installed() -> tuple[str, ...]:
    """The codes of the languages that there are words for."""
    return _INSTALLED


@cache
def words_for(code: str) -> LanguageWords:
    """The words of a language; of English where there are none."""
    known = code if code in _INSTALLED else DEFAULT_LANGUAGE
    return read_words(files(__name__).joinpath(f"{known}.toml").read_text("utf-8"))


def read_words(text: str) -> LanguageWords:
    """The words of a language's file; a key in it that no field is called is a `TypeError`."""
    words = tomllib.loads(text)
    words["fragments"] = ";".join(words.get(name, "") for name in _FRAGMENTS)
    words["before_nouns"] = " ".join(words.get(name, "") for name in _BEFORE_NOUNS)
    for field in fields(LanguageWords):
        words[field.name] = _READERS[field.type](words.get(field.name, ""))
    return LanguageWords(**words)


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> PhraseList:
    return PhraseList(tuple(phrase.split()) for phrase in text.split(";"))


_READERS: Final[dict[object, Callable[[str], object]]] = {
    frozenset[str]: _word_set,
    PhraseList: _phrases,
    str: str,
}
