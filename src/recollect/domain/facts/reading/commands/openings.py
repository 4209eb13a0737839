"""How a sentence begins that tells the memory to remember or to forget something, and goes on."""

from recollect.domain.facts.reading.languages import FactWords
from recollect.domain.speech.phrases import Phrase


def after_openers(words: Phrase, place: int, known: FactWords) -> int:
    """The place after what may stand before a command; not after the "do" of "do not remember"."""
    commands = (known.unwanted_verbs, known.remember, known.remember_verbs)
    while place < len(words) and not any(one.length_at(words, place) for one in commands):
        length = known.openers.length_at(words, place)
        if not length and words[place][0].isalnum():
            break
        place += length or 1
    return place


def after_verb(words: Phrase, known: FactWords) -> int | None:
    """The place after the verb of a command with which a sentence begins; None if it has none."""
    place = after_openers(words, 0, known)
    polite = known.polite.length_at(words, place)
    if polite:
        place = after_openers(words, place + polite, known)
    verbs = [known.remember_verbs, known.forget_verbs]
    verbs += [known.forget_verbs_asked] if polite else []
    length = max(verb.length_at(words, place) for verb in verbs)
    return place + length if length else None


def before_task(words: Phrase, first: int, known: FactWords) -> int:
    """The place where a task is joined to what is told from a place on; the end if none is.

    "… that I hate onions, then give me a recipe" tells no more than the onions.
    """
    for task in known.added_tasks.places_in(words):
        end = task
        while end > first and (words[end - 1] == "," or _joins(words, end - 1, known)):
            end -= 1
        if first < end < task:
            return end
    return len(words)


def _joins(words: Phrase, place: int, known: FactWords) -> bool:
    joints = (known.joints, known.then, known.please)
    return any(one.length_at(words, place) > 0 for one in joints)
