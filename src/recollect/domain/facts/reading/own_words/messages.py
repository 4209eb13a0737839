"""Texts for somebody else: "Forward this to my team: I work from home on Fridays".

What follows the colon is said to them, and may be true of another day or of nobody. A message that
the user is to get is none: "Send me a recipe: I'm vegetarian".
"""

from recollect.domain.facts.reading.commands.openings import after_openers
from recollect.domain.facts.reading.languages import FactWords, fact_words
from recollect.domain.speech.phrases import LANGUAGES, Phrase


def has_message(words: Phrase, known: FactWords) -> bool:
    """Whether a sentence begins with a task to tell somebody what follows its colon."""
    if ":" not in words:
        return False
    task = words[: words.index(":")]
    place = after_openers(task, 0, known)
    polite = known.polite.length_at(task, place)
    place = after_openers(task, place + polite, known) if polite else place
    if polite and known.message_tasks_asked.are_in(task[place:]):
        return not _is_for_user(task, place)
    length = known.message_tasks.length_at(task, place)
    rest = place + length
    return length > 0 and rest < len(task) and not _is_for_user(task, rest)


def _is_for_user(task: Phrase, place: int) -> bool:
    """Whether the user is to get it; languages share verbs, so that all are asked."""
    return any(fact_words(code).to_user.length_at(task, place) > 0 for code in LANGUAGES)
