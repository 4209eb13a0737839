"""Words by which users speak of themselves: they tell questions that no statement completes."""

from dataclasses import dataclass

from recollect.domain.followup.languages.phrases import PhraseList


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelfWords:
    """Words in small letters; a language without `self_words` has no rule for such questions."""

    self_words: frozenset[str]
    """Those that mean the user: "I", "my", or in Spanish "tengo"."""
    we_words: frozenset[str]
    """Those of several, who tell of themselves alike, and ask about their data: "our sales"."""
    self_endings: frozenset[str]
    """How the verbs end that say "I" without a pronoun, in Spanish."""
    asking_words: frozenset[str]
    """What such a question may begin with: question words, and "wogegen"."""
    asking_verbs: frozenset[str]
    """The same without a question word: "do", "is"."""
    how_words: frozenset[str]
    """Those that ask for advice, as "how do I"."""
    how_of_self: frozenset[str]
    """Words after these that ask for no advice: "how old"."""
    advice_words: frozenset[str]
    """Verbs and nouns of questions that a plan completes: "should", "need"."""
    advice_phrases: PhraseList
    """The same of several words: "have to"."""
    wish_words: frozenset[str]
    """Words of statements that ask for something: "I want"."""
    remember_words: frozenset[str]
    """Imperatives that a statement may follow: "remember"."""
    pointing_words: frozenset[str]
    """Words that may point back, beside `pointers`: "this", "er"."""
    object_articles: frozenset[str]
    """Articles that are pronouns before a verb: "je les aime"."""
