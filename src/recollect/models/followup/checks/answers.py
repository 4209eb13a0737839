"""Edits that mistake an answer for something else: what was told, agreed to or acknowledged."""

from itertools import pairwise
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.chit_chat import is_chit_chat
from recollect.domain.followup.edits import words_of
from recollect.domain.followup.expletives import expletive_phrase
from recollect.domain.followup.languages import LanguageWords, installed
from recollect.models.followup.edited_question import EditedQuestion

_PAIR: Final = 2  # words


def answers_itself(edited: EditedQuestion) -> bool:
    """Whether what users said of themselves is put behind their question for it.

    "I live in Ghent", "Where do I live?" is not "Where do I live in Ghent?".
    """
    known, texts = edited.known, edited.texts
    is_single = len(edited.edits.insertions) == 1 and bool(edited.kept)
    if not is_single or known.self_subjects.isdisjoint(texts):
        return False
    only, source = edited.first, edited.source(edited.first)
    before = [word.text.lower() for word in source.words[: only.span.first]][-1:]
    is_said = source.role is Role.USER and "?" not in source.text
    full = {known.short_forms.pairs.get(word, word) for word in before}
    is_same = not full.isdisjoint(texts[-_PAIR:])
    return only.gap > edited.kept[-1] and is_said and is_same


def answers_another(edited: EditedQuestion) -> bool:
    """Whether what follows "yes" is put into the user's own question.

    "Yes, blood thinners" answers "Do you take other medicines?"; "Can I take aspirin?" is not
    "Can I take blood thinners?" after it.
    """
    words, known, reply = edited.words, edited.known, edited.blocks[0]
    if not words or reply.role is not Role.ASSISTANT or "?" not in reply.text:
        return False
    agrees = edited.text_at(0) in known.yes_words
    is_name = words[0].text[0].isalpha() and edited.text_at(0) not in known.small_words
    answers = agrees or (is_name and _asks_yes_or_no(reply.text, known))
    is_answer = answers and not any(word.text == "?" for word in words)
    return is_answer and any(
        edited.source(one).role is Role.USER for one in edited.edits.insertions
    )


def _asks_yes_or_no(reply: str, known: LanguageWords) -> bool:
    """Whether the last sentence of a reply asks for "yes" or "no", and names no alternatives."""
    sentence = reply.rstrip("? \n")
    start = max(sentence.rfind(sign) for sign in ".!?\n:") + 1
    asked = {word.text.lower() for word in words_of(sentence[start:])}
    return asked.isdisjoint(known.question_words | {known.or_word}) and reply.rstrip().endswith("?")


def loses_expletive(edited: EditedQuestion) -> bool:
    """Whether an "it" that means nothing goes: "What time is it there?" is not about Tokyo."""
    known, texts, deleted = edited.known, edited.texts, edited.edits.deleted
    places = [place for place, word in enumerate(edited.words) if not word.is_sign]
    start, end = expletive_phrase(texts, known)
    is_about_now = (known.moment_words | known.pointers).issuperset(texts[end:])
    weather = {places[n] for n, pair in enumerate(pairwise(texts)) if pair in known.it_there}
    if not deleted.isdisjoint(weather):
        return True  # "How warm is it there?"
    return end > 0 and is_about_now and not deleted.isdisjoint(places[start:end])


def takes_acknowledgement(edited: EditedQuestion) -> bool:
    """Whether a part of "Noted." comes in: a reply that says that something was understood."""
    sources = map(edited.source, edited.edits.insertions)
    return any(
        source.role is Role.ASSISTANT and is_chit_chat(source.text, language)
        for source in sources
        for language in installed()
    )
