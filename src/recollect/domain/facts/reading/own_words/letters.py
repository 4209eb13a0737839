"""Letters of others in a message, and the signatures with which users end their own.

A letter begins behind the user's own words, with a line such as "Dear Jan,", and ends with its
signature: "Kind regards, Peter". A message that itself begins so is the user's own.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.speech.phrases import LANGUAGES, Phrases, spelled_words_in, words_in
from recollect.domain.speech.spoken import Part

_LINE: Final = re.compile(r"[^\n]*+\n|[^\n]++\Z")
_GREETING: Final = re.compile(r"(?P<words>[^,:.!?\n]{1,60})(?P<mark>[,:.!]?)[^\S\n]*+(?P<rest>.*+)")
_FENCES: Final = ("```", "~~~")
_SENTENCE_ENDS: Final = (".", "?", "!", ":")
_READ: Final = 10_000
"""Characters of a message in which letters begin; of longer ones little is read for facts."""
_LONGEST_LINE: Final = 80
"""Characters of a line that is a salutation, a closing or a name."""
_MOST_NAMES: Final = 4
"""Words of a name with what stands beside it: "Peter Claes, Sales"."""
Span = tuple[int, int]


def letters_in(text: str) -> Iterator[Span]:
    """Where letters of others begin and end in a message, and where its own signature does.

    A letter that does not end within the first `_READ` characters goes on to the end.
    """
    read = _LINE.finditer(text, 0, _READ)
    lines = [Part(start=one.start(), text=one[0]) for one in read]
    has_own, letter, skipped = False, -1, 0
    for at, line in enumerate(lines):
        if line.start < skipped or not line.text.strip():
            continue
        is_open = letter >= 0
        if (is_open or has_own) and (end := _end_of_closing(lines, at)):
            yield (letter if is_open else line.start), end
            letter, skipped = -1, end
        elif is_open and line.text.startswith(_FENCES):
            yield letter, line.start
            letter = -1
        elif not is_open and begins_letter(line.text):
            letter = line.start if has_own else -1
        else:
            has_own = True
    if letter >= 0:
        yield letter, len(text)


def begins_letter(line: str) -> bool:
    """Whether a line is a salutation, or begins with one that names somebody: "Hi Jan, …"."""
    found = _GREETING.match(line.strip())
    names = _names_greeted(found["words"]) if found else None
    if found is None or names is None:
        return False
    if found["rest"]:
        return found["mark"] == "," and bool(names) and _are_names(names)
    return found["mark"] in {",", ":", "!"} or _are_names(names)


def is_only_greeting(text: str) -> bool:
    """Whether a text is no more than the salutation or the closing of a letter."""
    found = _GREETING.match(text.strip())
    is_salutation = found is not None and not found["rest"] and begins_letter(text)
    return is_salutation or is_closing(text)


def is_closing(line: str) -> bool:
    """Whether a line ends a letter, with or without a name: "Kind regards, Peter"."""
    names = _names_behind_closing(line)
    return names is not None and len(names) <= _MOST_NAMES and _are_names(names)


def _end_of_closing(lines: Sequence[Part], at: int) -> int:
    """Where the signature ends whose closing is at a line; 0 if that is none.

    Behind a closing stand a name or nothing: "Thanks!" may also be said among other things.
    """
    if not is_closing(lines[at].text.strip()):
        return 0
    after = at + 1
    while after < len(lines) and not lines[after].text.strip():
        after += 1
    if after == len(lines):
        return lines[-1].end
    if not _is_signature(lines[after].text):
        return lines[at].end if _names_behind_closing(lines[at].text) else 0
    while after < len(lines) and _is_signature(lines[after].text):
        after += 1
    return lines[after - 1].end


def _is_signature(line: str) -> bool:
    """Whether a line is a name, or what stands below one."""
    stripped = line.strip()
    if not stripped or len(stripped) > _LONGEST_LINE or stripped.endswith(_SENTENCE_ENDS):
        return False
    words = spelled_words_in(stripped)
    known = words_in(stripped)
    is_told = any(fact_words(code).subjects.are_in(known) for code in LANGUAGES)
    return 0 < len(words) <= _MOST_NAMES and stripped[0].isupper() and not is_told


def _names_greeted(text: str) -> Sequence[str] | None:
    names = _words_behind(text, [fact_words(code).salutations for code in LANGUAGES])
    return names if names is None or len(names) <= _MOST_NAMES else None


def _names_behind_closing(line: str) -> Sequence[str] | None:
    stripped = line.strip()
    if len(stripped) > _LONGEST_LINE:
        return None
    return _words_behind(stripped, [fact_words(code).closings for code in LANGUAGES])


def _words_behind(text: str, phrases: Sequence[Phrases]) -> Sequence[str] | None:
    """The words behind the longest phrase that a text begins with; None if it begins with none."""
    words = words_in(text)
    length = max(one.length_at(words) for one in phrases)
    return [word for word in spelled_words_in(text)[length:] if word != ","] if length else None


def _are_names(words: Sequence[str]) -> bool:
    return all(word[0].isupper() for word in words)
