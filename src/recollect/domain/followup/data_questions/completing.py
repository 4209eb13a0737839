"""What a question about rows leaves out, as the last one has said it: "Which has the most?"."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from recollect.domain.followup.data_questions.endings import plural, singular
from recollect.domain.followup.data_questions.nouns import DataPhrase
from recollect.domain.followup.languages import LanguageWords, starting_phrase

_ENDS: Final = "?.! "
_LONGEST_OBJECT: Final = 3  # words
_OWNING: Final = 2  # words


def completed(rest: str, phrase: DataPhrase, known: LanguageWords) -> str:
    """With what is counted or sorted by: "which one has the most arriving flights"."""
    end = rest.rstrip(_ENDS)
    before, _, last = end.lower().rpartition(" ")
    noun = ""
    owns = before.split(" ")[-_OWNING:-1]  # "has the"
    is_owned = bool(owns) and owns[0] in known.plural_verbs[0]
    if last in known.extremes and phrase.sort_key and is_owned:
        noun = _sort_key(last, phrase.sort_key, known)
    elif last in known.counted_extremes:
        noun = phrase.counted_object
    elif _is_bound_number(before, last, known):
        is_one = last in {"1", known.number_one}
        noun = singular(phrase.counted_object) if is_one else phrase.counted_object
    return f"{end} {noun}{rest[len(end) :]}" if noun else rest


def counted_object(said: Sequence[str], known: LanguageWords) -> str:
    """What a verb's object counts: "masts" of "have more than two masts"; in the plural."""
    words = list(said[1:])
    words = words[starting_phrase(words, known.bounds) :]
    is_counted = len(words) > 1 and (words[0][0].isdigit() or words[0] in known.number_words)
    if is_counted or words[:1] == [known.no_word]:
        words = words[1:]
    elif words[:1] == [known.the] and words[1:2] and words[1] in known.extremes:
        words = words[2:]
        words = words[starting_phrase(words, known.counts) :]
    else:
        return ""
    plain = known.small_words | known.prepositions | known.number_words
    noun = list(takewhile(lambda word: word.isalpha() and word not in plain, words))
    if not 0 < len(noun) <= _LONGEST_OBJECT or len(noun) != len(words):
        return ""
    return " ".join((*noun[:-1], plural(noun[-1])))


def _sort_key(extreme: str, sort_key: str, known: LanguageWords) -> str:
    words = sort_key.split(" ")
    if not known.pointers.isdisjoint(map(str.lower, words)):  # "boats using it"
        clause = tuple(known.present_endings)
        words = list(takewhile(lambda word: not word.endswith(clause), words))
    key = " ".join(words).removeprefix(f"{known.the} ")
    if not known.pointers.isdisjoint(key.lower().split(" ")):
        return ""
    counted = starting_phrase(key.lower().split(" "), known.counts)
    if extreme not in known.counted_extremes:
        return key
    return " ".join(key.split(" ")[counted:]) if counted else ""


def _is_bound_number(before: str, last: str, known: LanguageWords) -> bool:
    """Whether a number without a noun ends a question: "at least two"."""
    is_number = last.isdecimal() or last in known.number_words
    return is_number and any(before.endswith(" ".join(bound)) for bound in known.bounds if bound)
