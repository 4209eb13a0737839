"""Words by their part in a sentence: they tell whether edits of the model make one."""

from dataclasses import dataclass

from recollect.domain.followup.languages.oneself import SelfWords
from recollect.domain.followup.languages.phrases import PhraseList


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GrammarWords(SelfWords):
    """Words and phrases in small letters; where a language has none, its check never applies."""

    speakers: frozenset[str]
    """Pronouns of those who speak, and are spoken to."""
    self_subjects: frozenset[str]
    """What tells that users ask about themselves: "I", or in Spanish "vivo"."""
    subject_pronouns: frozenset[str]
    """Speakers as the subjects of a question."""
    persons: frozenset[str]
    """Nouns for persons: "wife"."""
    person_pronouns: frozenset[str]
    """Pronouns of others: "she"."""
    possessives: frozenset[str]
    """Of those who speak; what "his" and "her" point to may come in."""
    others_possessives: frozenset[str]
    person_possessives: frozenset[str]
    """Those of persons alone: "her"."""
    demonstratives: frozenset[str]
    plural_pointers: frozenset[str]
    """Pronouns of several persons or things: "they"."""
    thing_pointers: frozenset[str]
    """Pronouns that never mean a person: "its"."""

    name_articles: frozenset[str]
    """Words that may stand before a name and are no part of it: "the" Elbe."""
    article_pronouns: frozenset[str]
    """Articles that may also stand alone."""
    capital_determiners: frozenset[str]
    """What a noun with a capital follows that is no name: of languages whose nouns all have one."""
    name_leads: frozenset[str]
    """What stands before names in such a language."""

    common_prepositions: frozenset[str]
    """Those that never follow each other."""
    place_prepositions: frozenset[str]
    """What stands before the name of a place."""
    denied_prepositions: frozenset[str]
    """What begins the part of a question that "no" denies: "in" the fridge."""
    dative_prepositions: frozenset[str]
    never_dative: frozenset[str]
    """Articles that never follow these."""
    by_word: str
    """What stands before who has made a thing."""
    makers: frozenset[str]
    """Nouns for those: "author"."""

    question_words: frozenset[str]
    which_words: frozenset[str]
    """Question words that a noun follows."""
    who_words: frozenset[str]
    """Question words that are subjects."""
    object_questions: frozenset[str]
    """Question words that stand for what a verb is about."""

    copulas: frozenset[str]
    degrees: frozenset[str]
    """Adjectives behind "how" for what things have more or less of: "tall"."""
    finite_verbs: frozenset[str]
    """Those that a question without a question word begins with."""
    infinitive_modals: frozenset[str]
    """Modal verbs of a language whose infinitive ends a sentence."""
    infinitive_endings: frozenset[str]
    """How these infinitives end; none where they stand elsewhere."""
    owning_verbs: frozenset[str]
    """The forms of "have"."""
    without_object: frozenset[str]
    """What no noun follows without a preposition: "come"."""
    been: str
    """A participle that never follows "did not"."""
    short_forms: PhraseList
    """Verbs after an apostrophe, each with its full form: "'m", "am"."""

    adding_starts: frozenset[str]
    """How a fragment begins that corrects nothing, as "I meant" does: "and"."""
    next_steps: frozenset[str]
    """Fragments that ask how things go on: "and then"."""
    topics: PhraseList
    """Topics that a fragment changes to, each with its words: "weather forecast"."""
    owned_nouns: PhraseList
    """Nouns for what companies, places, works and products have: "founder", "currency"."""
    meals: frozenset[str]
    """Topics that no question to data is about."""
    denials: frozenset[str]
    """How a reply denies what was asked: "no"."""
    it_there: PhraseList
    """Where "it" means nothing: "how warm is it there"."""
    conjunctions: frozenset[str]
    """Words that begin a clause within a question: "when"."""
    and_words: frozenset[str]
    """What joins two names."""
    joining_words: frozenset[str]
    """What stands before the last item of a list: "and", "or"."""
