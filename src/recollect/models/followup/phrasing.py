"""A rewrite in the words that grammar asks for: "the least number of masts"."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.edits import Block, Edits, apply_edits, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.models.followup.checks.sentences import doubled_articles
from recollect.models.followup.confidence import NEAR_BEGINNING
from recollect.models.followup.edited_question import EditedQuestion

_GENITIVE: Final = 5  # words of "of Anna Smith's"
_APOSTROPHES: Final = frozenset("'\u2019")
_SENTENCE_ENDS: Final = frozenset("?!.")


def phrased(question: str, edited: EditedQuestion) -> str:
    """The question with its edits, as a sentence."""
    known, blocks = edited.known, edited.blocks
    text = apply_edits(
        question,
        blocks,
        edited.edits,
        function_words=edited.lists.function_words,
        small_words=known.small_words | known.prepositions,
    )
    text = with_counted(text, question, known) if known.extremes else text
    text = with_base_verb(with_small_words(text, known), known)
    text = with_one_genitive(text, question, known)
    text = with_one_article(text, question, blocks, known)
    text = with_answer(with_comma(text, question, known), blocks, known)
    return with_question_mark(text, blocks, edited.edits)


def with_counted(text: str, question: str, known: LanguageWords) -> str:
    """As "the least number of masts" for "the least number masts", which nobody has asked for."""
    counts = {one[-2] for one in known.counts if one[-1] == known.of_word} - known.requests
    own = set(pairwise(word.text.lower() for word in words_of(question)))
    for one, two in pairwise(words_of(text)):
        pair = (one.text.lower(), two.text.lower())
        is_noun = two.text.isalpha() and pair[1] not in known.small_words | known.auxiliaries
        if pair[0] in counts and is_noun and pair not in own and one.end < two.start:
            return f"{text[: one.end]} {known.of_word}{text[one.end :]}"
    return text


def with_comma(text: str, question: str, known: LanguageWords) -> str:
    """As "Which is longer, the Rhine or the Rhône?", with what is compared after a comma."""
    asked = question.rstrip("?.! ")
    rest = text[len(asked) :]
    is_same = text[: len(asked)].lower() == asked.lower() and rest.startswith(" ")
    named = rest.split(" ")
    is_choice = known.or_word in named[2:] and named[1].lower() not in known.prepositions
    is_comparison = starting_phrase([one.text.lower() for one in words_of(asked)], known.which)
    return f"{text[: len(asked)]},{rest}" if is_same and is_choice and is_comparison else text


def with_answer(text: str, blocks: Sequence[Block], known: LanguageWords) -> str:
    """As "I want to send a parcel, AB-12", with an answer after a comma behind what was asked."""
    asks_back = blocks[0].role is Role.ASSISTANT and "?" in blocks[0].text
    before = blocks[1].text.rstrip("?.! ") if asks_back and len(blocks) > 1 else ""
    rest = text[len(before) :]
    if not before or text[: len(before)].lower() != before.lower() or not rest.startswith(" "):
        return text
    first = next((word.text.lower() for word in words_of(rest)), "")
    is_value = first not in known.prepositions | known.articles | known.small_words
    return f"{text[: len(before)]},{rest}" if is_value and first[:1].isalnum() else text


def with_question_mark(text: str, blocks: Sequence[Block], edits: Edits) -> str:
    """With the signs of the question whose beginning comes in."""
    first = edits.insertions[0]
    source = blocks[first.span.block]
    begins = first.span.first < NEAR_BEGINNING and source.role is Role.USER and first.gap == 0
    if not begins or not source.text.rstrip().endswith("?") or text[-1:] in _SENTENCE_ENDS:
        return text
    opening = "¿" if source.text.lstrip().startswith("¿") and "¿" not in text else ""
    return f"{opening}{text}?"


def with_base_verb(text: str, known: LanguageWords) -> str:
    """As "did not win" for "did not won"."""
    words = words_of(text)
    for one, two, three in zip(words, words[1:], words[2:], strict=False):
        form = known.past_verbs.pairs.get(three.text.lower())
        helps = one.text.lower() in known.helping_verbs and two.text.lower() == known.not_word
        if helps and form:
            return text[: three.start] + form + text[three.end :]
    return text


def with_small_words(text: str, known: LanguageWords) -> str:
    """As "our three least busy shops" for "our three the least busy shops"; "each of the" shops."""
    for one, two in pairwise(words_of(text)):
        if not known.the or two.text.lower() != known.the:
            continue
        if one.text.lower() in known.number_words:
            return text[: two.start] + text[two.end :].lstrip()
        if one.text in known.each:
            return f"{text[: one.start]}{min(known.each)} {known.of_word}{text[one.end :]}"
    return text


def with_one_genitive(text: str, question: str, known: LanguageWords) -> str:
    """As "the rent of Anna" for "the rent of Anna's", which nobody has asked for like this."""
    words = words_of(text)
    end = len(words) - (bool(words) and words[-1].is_sign)
    before = [word.text.lower() for word in words[max(0, end - _GENITIVE) : end]]
    is_double = bool(known.row_possessives) and before[-1:] == ["s"] and known.of_word in before
    own = (word.text.lower() for word in words_of(question))
    if not is_double or before[-2] not in _APOSTROPHES or known.of_word in own:
        return text
    return text[: words[end - 2].start] + text[words[end - 1].end :]


def with_one_article(
    text: str, question: str, blocks: Sequence[Block], known: LanguageWords
) -> str:
    """As "een nieuwe MacBook" for "een nieuwe een MacBook"; not where a name stands between."""
    for article in doubled_articles(text, question, blocks, known)[:1]:
        between = text[: article.start].rsplit(maxsplit=1)[-1]
        if between.islower():
            return text[: article.start] + text[article.end :].lstrip()
    return text
