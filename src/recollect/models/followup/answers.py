"""Edits that mistake an answer for something else: what was told, agreed to or acknowledged."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.chit_chat import is_chit_chat
from recollect.domain.followup.edits import Block, Edits, Word, words_of
from recollect.domain.followup.expletives import expletive_phrase
from recollect.domain.followup.languages import LanguageWords, installed

_PAIR: Final = 2  # words


def answers_itself(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether what users said of themselves is put behind their question for it.

    "I live in Ghent", "Where do I live?" is not "Where do I live in Ghent?".
    """
    texts = [word.text.lower() for word in words if not word.is_sign]
    kept = [n for n, word in enumerate(words) if n not in edits.deleted and not word.is_sign]
    if len(edits.insertions) != 1 or not kept or known.self_subjects.isdisjoint(texts):
        return False
    (only,) = edits.insertions
    source = blocks[only.span.block]
    before = [word.text.lower() for word in source.words[: only.span.first]][-1:]
    is_said = source.role is Role.USER and "?" not in source.text
    full = {known.short_forms.pairs.get(word, word) for word in before}
    is_same = not full.isdisjoint(texts[-_PAIR:])
    return only.gap > kept[-1] and is_said and is_same


def answers_another(
    words: Sequence[Word], blocks: Sequence[Block], edits: Edits, known: LanguageWords
) -> bool:
    """Whether what follows "yes" is put into the user's own question.

    "Yes, blood thinners" answers "Do you take other medicines?"; "Can I take aspirin?" is not
    "Can I take blood thinners?" after it.
    """
    if not words or blocks[0].role is not Role.ASSISTANT or "?" not in blocks[0].text:
        return False
    agrees = words[0].text.lower() in known.yes_words
    is_name = words[0].text[0].isalpha() and words[0].text.lower() not in known.small_words
    answers = agrees or (is_name and _asks_yes_or_no(blocks[0].text, known))
    is_answer = answers and not any(word.text == "?" for word in words)
    return is_answer and any(blocks[one.span.block].role is Role.USER for one in edits.insertions)


def _asks_yes_or_no(reply: str, known: LanguageWords) -> bool:
    """Whether the last sentence of a reply asks for "yes" or "no", and names no alternatives."""
    sentence = reply.rstrip("? \n")
    start = max(sentence.rfind(sign) for sign in ".!?\n:") + 1
    asked = {word.text.lower() for word in words_of(sentence[start:])}
    return asked.isdisjoint(known.question_words | {known.or_word}) and reply.rstrip().endswith("?")


def loses_expletive(words: Sequence[Word], edits: Edits, known: LanguageWords) -> bool:
    """Whether an "it" that means nothing goes: "What time is it there?" is not about Tokyo."""
    places = [place for place, word in enumerate(words) if not word.is_sign]
    texts = [words[place].text.lower() for place in places]
    start, end = expletive_phrase(texts, known)
    is_about_now = (known.moment_words | known.pointers).issuperset(texts[end:])
    weather = {places[n] for n, pair in enumerate(pairwise(texts)) if pair in known.it_there}
    if not edits.deleted.isdisjoint(weather):
        return True  # "How warm is it there?"
    return end > 0 and is_about_now and not edits.deleted.isdisjoint(places[start:end])


def is_acknowledgement(block: Block) -> bool:
    """Whether a reply says that something was understood, in whichever language: "Noted."."""
    return block.role is Role.ASSISTANT and any(
        is_chit_chat(block.text, language) for language in installed()
    )
