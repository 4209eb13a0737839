"""Pointers that the last question alone resolves: "How many of them?", "daarvoor"."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.conversation.message import Role
from recollect.domain.followup.dialogue import HistoryMessage, Proposal
from recollect.domain.followup.edits import Word, spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase
from recollect.domain.language import content_words

_NEED: Final = 0.95
_CONFIDENCE: Final = 0.75
_LONGEST: Final = 400  # characters of a question
_LEAD: Final = 3  # words before "of them": "how many"
_PLACES_OF_OF: Final = (1, 2)  # "which of", "how many of"
_LONGEST_OBJECT: Final = 4  # words after the preposition
_NEW_WORDS: Final = 3  # of a reply that names nothing else that could be meant


def last_question_candidate(
    question: str, history: Sequence[HistoryMessage], known: LanguageWords, language: str
) -> Proposal | None:
    """The question with words of the last one; None where these are not certainly meant."""
    last = next((one.content for one in reversed(history) if one.role is Role.USER), "")
    if not last or max(len(last), len(question)) > _LONGEST:
        return None
    words, earlier = words_of(question), words_of(last)
    counted = _counted(question, words, last, earlier, known)
    if counted is not None:
        return counted
    completed = _with_object(question, words, last, earlier, known)
    is_answered = completed is not None and history[-1].role is Role.ASSISTANT
    if is_answered and _names_others(history[-1].content, f"{last} {question}", language):
        return None
    return completed


def _names_others(reply: str, said: str, language: str) -> bool:
    """Whether a reply has more words of its own than one that names nothing else."""
    read = reply[: _LONGEST * 2]
    new = set(map(str.lower, content_words(read, language)))
    new -= set(map(str.lower, content_words(said, language)))
    return len(new) > _NEW_WORDS or len(reply) > len(read)


def _counted(
    question: str,
    words: Sequence[Word],
    last: str,
    earlier: Sequence[Word],
    known: LanguageWords,
) -> Proposal | None:
    """As "How many of them?" after "Which of the five have been sold?"."""
    texts = spoken_words(question)
    for lead in range(1, min(_LEAD, len(texts)) + 1):
        length = starting_phrase(texts, known.of_them, start=lead)
        if not length or lead + length < len(texts):
            continue
        of = next((n for n, word in enumerate(earlier) if word.text.lower() == known.of_word), 0)
        if of in _PLACES_OF_OF:
            beginning = question[words[0].start : words[lead - 1].end]
            standalone = f"{beginning} {last[earlier[of].start :].strip()}"
            return _proposal(standalone, " ".join(texts[lead:]), last[earlier[of].end :])
    return None


def _with_object(
    question: str,
    words: Sequence[Word],
    last: str,
    earlier: Sequence[Word],
    known: LanguageWords,
) -> Proposal | None:
    """As "Welke producten heb je daarvoor?" after "Wat zijn de vereisten voor valbeveiliging?"."""
    if not known.adverb_beginnings:
        return None
    adverbs = [(n, p) for n, word in enumerate(words) if (p := _preposition_of(word, known))]
    if len(adverbs) != 1 or not known.pointers.isdisjoint(
        word.text.lower() for n, word in enumerate(words) if n != adverbs[0][0]
    ):
        return None
    place, preposition = adverbs[0]
    last_words = [word for word in earlier if not word.is_sign]
    starts = [n for n, word in enumerate(last_words) if word.text.lower() == preposition]
    if len(starts) != 1 or not 0 < len(last_words) - 1 - starts[0] <= _LONGEST_OBJECT:
        return None
    phrase = last[last_words[starts[0]].start : last_words[-1].end]
    pointer = words[place]
    standalone = question[: pointer.start] + phrase + question[pointer.end :]
    return _proposal(standalone, pointer.text, phrase)


def _preposition_of(word: Word, known: LanguageWords) -> str:
    text = word.text.lower()
    endings = (text.removeprefix(one) for one in known.adverb_beginnings if text.startswith(one))
    return next((ending for ending in endings if ending in known.prepositions), "")


def _proposal(standalone: str, pointer: str, meaning: str) -> Proposal:
    meaning = meaning.strip(" ?.!")
    return Proposal(
        standalone_question=standalone,
        need=_NEED,
        confidence=_CONFIDENCE,
        explanations=(f'"{pointer}" stands for "{meaning}"',),
        topic=meaning,
    )
