"""What a language must tell the rules: its small words, and how it joins phrases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final

_VOWELS: Final = frozenset("aeiou")
_SINGULAR_ENDINGS: Final = ("ss", "us", "is")  # "glass", "virus", "crisis"


class Kind(StrEnum):
    """What a word can stand for."""

    PERSON = "person"
    THING = "thing"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Pronoun:
    """What a pronoun asks of the phrase it stands for; `plural` None takes both."""

    kind: Kind = Kind.ANY
    plural: bool | None = False
    possessive: bool = False
    gender: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class LanguagePack:
    """One language as data; `languages/en.py` shows every field filled.

    Words are in lower case. A field with a default may stay empty: the rule that needs it is then
    silent in that language.
    """

    code: str

    # Closed word classes.
    pronouns: Mapping[str, Pronoun]
    demonstratives: Mapping[str, str]  # each with the article that can take its place
    personal: frozenset[str]  # speaker, listener and nobody in particular: never resolved
    definite: frozenset[str]
    indefinite: frozenset[str]
    quantifiers: frozenset[str]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]
    subordinators: frozenset[str]  # words that open a clause
    auxiliaries: frozenset[str]
    copulas: frozenset[str]
    question_words: frozenset[str]
    adverbs: frozenset[str]
    place_adverbs: frozenset[str] = frozenset()  # "there", "here"
    pronominal_adverbs: Mapping[str, str] = field(default_factory=dict)  # "daarvoor": "voor"
    clause_words: frozenset[str] = frozenset()  # question words that open a restriction: "where"
    infinitive_marks: frozenset[str] = frozenset()  # "to": a verb follows

    # Open word classes, as far as the rules need them.
    verbs: frozenset[str] = frozenset()
    verb_endings: tuple[str, ...] = ()
    plural_endings: tuple[str, ...] = ()
    adjectives: frozenset[str] = frozenset()
    predicate_endings: tuple[str, ...] = ()  # of adjectives said of the noun before them
    adjective_endings: tuple[str, ...] = ()  # of adjectives written with a capital
    capital_nouns: bool = False  # whether every noun is written with a capital
    own_words: frozenset[str] = frozenset()  # "our": what speaker and listener have
    attribute_nouns: frozenset[str] = frozenset()  # nouns that ask "of what?"
    class_nouns: frozenset[str] = frozenset()  # nouns that stand for a named thing: "the film"
    person_nouns: frozenset[str] = frozenset()
    document_nouns: frozenset[str] = frozenset()  # "article": about what?
    empty_nouns: frozenset[str] = frozenset()  # "kind", "thing": nothing to come back to
    event_verbs: frozenset[str] = frozenset()  # "happen": to whom?
    saying_verbs: frozenset[str] = frozenset()  # after them "that" opens a clause
    naming_words: frozenset[str] = frozenset()  # "called": the name follows
    months: frozenset[str] = frozenset()
    time_units: frozenset[str] = frozenset()
    number_words: frozenset[str] = frozenset()

    # How a question points back.
    drops_subject: bool = False  # "¿Cuándo murió?" needs no pronoun
    inverts_verbs: bool = False  # "Hoeveel verkocht de winkel?": any verb before its subject
    openers: tuple[tuple[str, ...], ...] = ()  # "what about", longest first
    trailing: frozenset[str] = frozenset()  # "instead", "too" at the end of a fragment
    else_words: frozenset[str] = frozenset()
    other_words: frozenset[str] = frozenset()
    only_words: frozenset[str] = frozenset()
    also_words: frozenset[str] = frozenset()
    same_words: frozenset[str] = frozenset()
    one_words: frozenset[str] = frozenset()  # "one", "ones" for a noun said before
    next_words: frozenset[str] = frozenset()
    previous_words: frozenset[str] = frozenset()
    above_words: frozenset[str] = frozenset()  # "the above", "the results": the last rows
    ordinals: frozenset[str] = frozenset()
    comparators: frozenset[str] = frozenset()
    pleonastic: frozenset[str] = frozenset()  # "possible": it is possible to …
    pleonastic_after: frozenset[str] = frozenset()  # "to", "that"
    impersonal_verbs: frozenset[str] = frozenset()  # "rains"
    impersonal: tuple[tuple[str, ...], ...] = ()  # "how did it go": phrases in which it is nothing

    # Talk that asks nothing.
    small_talk: frozenset[str] = frozenset()
    closing_words: frozenset[str] = frozenset()  # "thanks": what follows asks nothing
    reply_words: frozenset[str] = frozenset()  # "yes", "ok" before the real question
    indifference: tuple[tuple[str, ...], ...] = ()  # "i don't care"
    preferring: frozenset[str] = frozenset()  # "preference": of what is being asked

    # Questions to a table.
    requests: frozenset[str] = frozenset()  # imperatives that open a question: "show", "tell"
    data_words: frozenset[str] = frozenset()
    open_words: frozenset[str] = frozenset()  # words of questions that no table answers
    counting: frozenset[str] = frozenset()  # "many" after "how"
    which_words: frozenset[str] = frozenset()  # question words that a noun may follow: "which"
    ordering: frozenset[str] = frozenset()  # "sort", "group": said of all rows
    grouping: frozenset[str] = frozenset()  # "by", "per": a grouping replaces a grouping
    removal_words: frozenset[str] = frozenset()  # "remove", "without"
    all_words: frozenset[str] = frozenset()
    aggregates: frozenset[str] = frozenset()  # "average", "total": they replace each other
    opposites: Mapping[str, str] = field(default_factory=dict)

    # How phrases are joined.
    the: str
    of: str
    about: str
    conjunction: str  # "and"
    concerning: str  # joins a topic to any question
    about_words: frozenset[str] = frozenset()  # after these a topic is joined by `about`
    place_prepositions: frozenset[str] = frozenset()
    possess: Callable[[str, str, str], str]  # owner, what is owned, the pronoun that said so

    @cached_property
    def determiners(self) -> frozenset[str]:
        """Words that open a noun phrase."""
        return self.definite | self.indefinite | self.quantifiers | frozenset(self.demonstratives)

    @cached_property
    def column_nouns(self) -> frozenset[str]:
        """Nouns that say what kind of value follows: "player", "year", "director"."""
        return self.class_nouns | self.attribute_nouns | self.person_nouns | self.time_units

    @cached_property
    def date_words(self) -> frozenset[str]:
        """Words that dates are made of, beside numbers."""
        return self.number_words | self.months | self.time_units

    @cached_property
    def never_a_noun(self) -> frozenset[str]:
        """Words that do not follow a determiner."""
        return self.not_owned | self.adverbs | self.personal | frozenset(self.pronouns)

    @cached_property
    def never_a_topic(self) -> frozenset[str]:
        """Words that compare or repeat, and name nothing by themselves."""
        return self.comparators | self.same_words | self.trailing

    @cached_property
    def not_owned(self) -> frozenset[str]:
        """Words that do not follow an owner: after them "her" is an object."""
        return self.prepositions.union(
            self.conjunctions, self.subordinators, self.auxiliaries, self.question_words,
            self.definite, self.indefinite,
        )  # fmt: skip

    @cached_property
    def closed(self) -> frozenset[str]:
        """Words that carry grammar rather than meaning."""
        return self.never_a_noun.union(
            self.determiners, self.pronominal_adverbs, self.place_adverbs, self.else_words,
            self.other_words, self.only_words, self.also_words, self.reply_words,
        )  # fmt: skip

    @cached_property
    def has_own_word_for_its(self) -> bool:
        """Whether things own by a word of their own, as English "its" against "his"."""
        return any(
            pronoun.possessive and pronoun.kind is Kind.THING for pronoun in self.pronouns.values()
        )

    @cached_property
    def indifferent_words(self) -> frozenset[str]:
        """The words that indifference opens with, to see quickly where there is none."""
        return frozenset(phrase[0] for phrase in self.indifference)

    @cached_property
    def openers_by_word(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """The openers by their first word."""
        words = {opener[0] for opener in self.openers}
        return {
            word: tuple(opener for opener in self.openers if opener[0] == word) for word in words
        }

    def is_plural(self, word: str) -> bool:
        """Whether a noun looks like more than one."""
        return word.endswith(self.plural_endings) and not word.endswith(_SINGULAR_ENDINGS)

    def is_verb(self, word: str) -> bool:
        """Whether a word is known as a verb, or built like one."""
        return word in self._verb_forms

    @cached_property
    def _verb_forms(self) -> frozenset[str]:
        """Verbs with their endings, which may swallow an e ("making") or double a letter."""
        forms = set(self.verbs)
        for verb in self.verbs:
            for ending in self.verb_endings:
                forms.add(f"{verb}{ending}")
                if ending[0] in _VOWELS:
                    forms.update((f"{verb.removesuffix('e')}{ending}", f"{verb}{verb[-1]}{ending}"))
        return frozenset(forms)


def words(text: str) -> frozenset[str]:
    """A word list as a set, so that packs stay readable."""
    return frozenset(text.split())


def sequences(text: str) -> tuple[tuple[str, ...], ...]:
    """Phrases separated by commas as tuples of words, the longest first."""
    found = (tuple(phrase.split()) for phrase in text.split(", "))
    return tuple(sorted(found, key=len, reverse=True))


def pairs(text: str) -> Mapping[str, str]:
    """Pairs of words separated by commas, each leading to its second."""
    return MappingProxyType(dict(phrase.split() for phrase in text.split(", ")))
