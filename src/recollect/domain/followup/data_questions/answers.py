"""Whether a question was one to data, by its form and by its answer."""

from typing import Final

from recollect.domain.followup.data_questions.nouns import is_acronym
from recollect.domain.followup.dialogue import HistoryMessage
from recollect.domain.followup.edits import spoken_words, words_of
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_LONGEST_EMPTY_ANSWER: Final = 80  # characters
_NEW_WORDS: Final = 1  # of an answer that tells nothing


def is_data_question(question: str, answer: HistoryMessage | None, known: LanguageWords) -> bool:
    """Whether a question was answered with SQL, or begins as one to data.

    After an answer that tells nothing in words, such as "Here is the result.", any question that
    says nothing personal, and needs more than "yes" or "no", is one.
    """
    words = spoken_words(question)
    has_sql = answer is not None and answer.sql_query is not None
    if has_sql or starting_phrase(words, known.data_questions) > 0:
        return True
    if answer is None or not known.extremes or _is_personal(question, known):
        return False
    is_yes_or_no = words[:1] and words[0] in known.auxiliaries | known.helping_verbs
    if is_yes_or_no and not starting_phrase(words, known.data_copulas):
        return False
    return _tells_nothing(answer.content, question, known)


def _is_personal(question: str, known: LanguageWords) -> bool:
    """Whether a question has words such as "my", after "show me"; "US" is none."""
    said = [word.text for word in words_of(question) if not word.is_sign]
    words = [("" if is_acronym(text) else text.lower()) for text in said]
    start = int(words[:1] != [] and words[0] in known.adverbs)  # "now, show me"
    start += starting_phrase(words, known.data_requests, start=start)
    return not known.personal.isdisjoint(words[start:])


def _tells_nothing(answer: str, question: str, known: LanguageWords) -> bool:
    """Whether an answer has hardly a word of its own that could be meant later."""
    if len(answer) > _LONGEST_EMPTY_ANSWER or "?" in answer:
        return False
    new = set(spoken_words(answer)) - set(spoken_words(question)) - known.small_words
    return len(new) <= _NEW_WORDS and not any(word[0].isdigit() for word in new)
