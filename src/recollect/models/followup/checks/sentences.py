"""Whether a rewrite is a sentence: nothing is missing in it or said twice."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from recollect.domain.followup.data_questions.endings import singular
from recollect.domain.followup.edits import Block, Word, words_of
from recollect.domain.followup.languages import LanguageWords

_SENTENCE_ENDS: Final = frozenset(".?!")
_PAIR: Final = 2  # words
_APOSTROPHES: Final = frozenset("'\u2019")


def is_sentence(rewrite: str, question: str, blocks: Sequence[Block], known: LanguageWords) -> bool:
    """Whether a rewrite has no fault that the question itself, or the history, has not."""
    return not (
        says_twice(rewrite, question, known)
        or lacks_verb(rewrite, question, known)
        or lacks_noun(rewrite, question, known)
        or doubles_determiner(rewrite, question, known)
        or doubled_articles(rewrite, question, blocks, known)
    )


def lacks_verb(rewrite: str, question: str, known: LanguageWords) -> bool:
    """Whether a rewrite begins as no question does: "Which the nations …", "What the lowest …"."""
    words = [word.text.lower() for word in words_of(rewrite)[:_PAIR]]
    own = [word.text.lower() for word in words_of(question)[:_PAIR]]
    is_broken = not known.never_before_articles.isdisjoint(
        words[:1]
    ) and not known.articles.isdisjoint(words[1:])
    return is_broken and words != own


def lacks_noun(rewrite: str, question: str, known: LanguageWords) -> bool:
    """Whether a noun or a verb is missing: "the with", "What who", "didn't every"."""
    if not known.extremes:
        return False  # an article may be a pronoun: "zet het in de kast"
    never = known.prepositions | known.auxiliaries

    def broken(text: str) -> set[tuple[str, str]]:
        words = [word.text for word in words_of(text)]
        return (
            {
                (one, two)
                for one, two in pairwise([*map(str.lower, words), "."])
                if (one in known.articles and two in never)
                or (one in known.wh_openers and two in known.wh_openers)
                or (one == "t" and two in known.determiners)
                or (one in known.prepositions and two == known.who)  # "the names of who sail"
            }
            | {
                (one, three)  # "did not been"
                for one, two, three in zip(words, words[1:], words[2:], strict=False)
                if (three == known.been and {one.lower(), two.lower()} & known.helping_verbs)
                or (  # "did not in"
                    one.lower() in known.helping_verbs
                    and two.lower() == known.not_word
                    and three.lower() in known.prepositions
                )
            }
            | {
                (one, two)  # "A." is an initial
                for one, two in pairwise([*words, "."])
                if one in known.articles and two in _SENTENCE_ENDS
            }
        )

    return bool(broken(rewrite) - broken(question))


def doubled_articles(
    rewrite: str, question: str, blocks: Sequence[Block], known: LanguageWords
) -> list[Word]:
    """Articles that edits have put a word behind the same article: "een nieuwe een MacBook"."""
    found = _doubled_articles(rewrite, known)
    said = (
        {
            pair
            for text in (question, *(b.text for b in blocks))
            for pair in _doubled_articles(text, known)
        }
        if found
        else set()
    )
    return [word for pair, word in found.items() if pair not in said]


def _doubled_articles(text: str, known: LanguageWords) -> dict[tuple[str, str], Word]:
    words = words_of(text)
    return {
        (one.text.lower(), two.text.lower()): three
        for one, two, three in zip(words, words[1:], words[2:], strict=False)
        if one.text.lower() == three.text.lower() in known.articles and not two.is_sign
        if not (known.extremes and singular(two.text) != two.text)  # "the towns the boats left"
    }


def says_twice(rewrite: str, question: str, known: LanguageWords) -> bool:
    """Whether a rewrite says a word again at once, which the question does not.

    An article may stand in between: "a red boat a boat with a motor".
    """
    return bool(_repeated(rewrite, known) - _repeated(question, known))


def _repeated(text: str, known: LanguageWords) -> set[str]:
    words = [word.text.lower() for word in words_of(text)]
    at_once = {one for one, two in pairwise(words) if one == two and len(one) > 1}
    after_article = {
        one
        for one, article, two in zip(words, words[1:], words[2:], strict=False)
        if one == two and article in known.articles and one not in known.small_words
    }
    return at_once | after_article


def doubles_determiner(rewrite: str, question: str, known: LanguageWords) -> bool:
    """Whether an article follows what a noun must follow: "my the dryer", "Anna's the dog"."""
    return bool(_doubled_determiners(rewrite, known) - _doubled_determiners(question, known))


def _doubled_determiners(text: str, known: LanguageWords) -> set[tuple[str, str]]:
    words = words_of(text)
    lower = [word.text.lower() for word in words]
    before_nouns = (known.articles - known.article_pronouns) | known.possessives
    pairs = {
        (one, two)
        for one, two in pairwise(lower)
        if two in known.articles
        and (
            one in before_nouns or (one in known.dative_prepositions and two in known.never_dative)
        )
    }
    owned = {
        (words[n].text, lower[n + 3])
        for n in range(1, len(words) - 3)
        if words[n].text[0].isupper()
        and words[n + 1].text in _APOSTROPHES
        and lower[n + 2] == "s"
        and lower[n + 3] in known.articles
    }
    return pairs | owned
