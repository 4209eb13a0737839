"""Users who say what they are called: "Hi, I'm Emma", "Ik heet Emma de Vries"."""

import re
from collections.abc import Iterator
from typing import Final

from recollect.domain.facts.reading.joined_clauses import Clause
from recollect.domain.facts.reading.languages import fact_words
from recollect.domain.facts.reading.languages.first_names import is_first_name
from recollect.domain.facts.reading.plain.languages.corrections import correction_words
from recollect.domain.language import is_common_word, split_words, without_inner_stops
from recollect.domain.speech.phrases import LANGUAGES, words_in
from recollect.domain.speech.spoken import Part, sentences_of
from recollect.domain.speech.tokens import tokens_of

_NAMING: Final = (
    r"my name is|my name's|my name\u2019s|i am called|i'm called"
    r"|ik heet|mijn naam is|ich heiße|ich heisse|mein name ist"
    r"|je m['\u2019]appelle|mon nom est|mon prénom est|me llamo|mi nombre es"
)
_NAMES: Final = re.compile(rf"(?i:{_NAMING})")
_PRESENTING: Final = r"i['\u2019]m|i am|this is|ik ben|je suis|moi c['\u2019]est|soy"
"""What may be said of other things, too: not in the midst of a text."""
_GREETING: Final = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|hoi|hallo|hé|dag|goedemorgen|goedemiddag"
    r"|goedenavond|guten (?:tag|morgen|abend)|servus|moin|bonjour|bonsoir|salut|hola"
    r"|buen[ao]s (?:días|tardes|noches))"
    r"(?: there| all)?[,!.]?"
)
_WORD: Final = r"[A-ZÀ-ÖØ-Þ][\w'\u2019-]{0,30}"
_PARTICLE: Final = r"van|von|de|der|den|del|da|di|la|le|ter|ten"
_NAME: Final = rf"{_WORD}(?: (?:{_PARTICLE}|{_WORD})){{0,4}}"
_END: Final = r"(?=\s*(?:[.,!?;:)]|$)|\s+(?:and|en|und|et|y)\s)"
_BEFORE: Final = rf"\s{{0,3}}(?:(?i:{_GREETING})\s{{1,3}})?"
_NAMED: Final = re.compile(
    rf"(?:\A|[.!?\n]){_BEFORE}(?P<said>(?i:{_NAMING}) (?P<name>{_NAME})){_END}"
)
_PRESENTED: Final = re.compile(rf"\A{_BEFORE}(?P<said>(?i:{_PRESENTING}) (?P<name>{_NAME})){_END}")
_PRESENTED_IN_GERMAN: Final = re.compile(
    rf"\A{_BEFORE}(?P<said>(?i:ich bin)(?: der| die)? (?P<name>{_NAME})){_END}"
)
"""Only with a known first name: what somebody is has a capital, too ("ich bin Lehrer")."""
_NO_NAMES: Final = frozenset(
    word
    for words in (
        "dutch french german greek swiss thai czech american canadian australian italian indian",
        "russian belgian european african asian muslim catholic",
        "nederlander nederlandse belg belgische vlaming vlaamse duitser duitse",
        "français française belge suisse allemand allemande",
    )
    for word in words.split()
)
"""Written like a name, and what somebody is."""
_NO_NAME_ENDINGS: Final = ("ish", "ese")
_GREETED: Final = re.compile(rf"\A\s{{0,3}}(?i:{_GREETING})(?=[\s,!.])")
_BETWEEN: Final = re.compile(r"[\s,;:.!\u2013\u2014-]{0,5}(?:(?:and|en|und|et|y)\s)?\s{0,3}")
_LONGEST_JOKE: Final = 40
_FEW: Final = 6
_SHORT: Final = 3
"""Words of a statement that may be no more than a name, and in which others name the user."""
_READ: Final = 4_000
"""Characters of a text: a pattern that searches more holds Python's interpreter lock too long."""


def introductions(text: str) -> Iterator[Clause]:
    """The clauses in which a user says their name, where a sentence begins.

    "I'm Emma" counts at the beginning of the text alone.
    """
    read = without_inner_stops(text[:_READ])
    for pattern, is_meant in (
        (_NAMED, _is_name),
        (_PRESENTED, _is_name),
        (_PRESENTED_IN_GERMAN, _begins_with_first_name),
    ):
        for found in pattern.finditer(read):
            if is_meant(found["name"].replace("_", ".")):
                yield Clause(start=found.start("said"), end=found.end("said"))


def may_tell_name(content: str) -> bool:
    """Whether a sentence may hold a name, also without a capital: not "Call me when you can".

    Somebody's name follows a word for them, has a capital, or is all that is said.
    """
    spelled = split_words(content)
    if len(spelled) <= _SHORT or any(_has_capital(word) for word in spelled[1:]):
        return True
    words = words_in(content)
    known = [fact_words(code) for code in LANGUAGES]
    begins = any(
        one.subjects.are_in(words[:_SHORT]) or one.owners.are_in(words[:_SHORT]) for one in known
    )
    return begins or _NAMES.search(content[:_READ]) is not None


def names_somebody(content: str) -> bool:
    """Whether a sentence has a name; in German, where every noun has a capital, a known one."""
    is_german = fact_words("de").owners.length_at(words_in(content)) > 0
    names = [word for word in split_words(content)[1:] if word[0].isupper()]
    return any(is_first_name(one) if is_german else _is_name(one) for one in names)


def sentences_after_introduction(text: str) -> Iterator[Clause]:
    """The sentences behind an introduction that a text begins with, without their last marks.

    Only statements, and not more than a few: people say who they are in short sentences.
    """
    begin = opening_of(text)
    if not any(clause.end <= begin for clause in introductions(text)):
        return
    sentences = [*sentences_of(Part(start=begin, text=text[begin:_READ]))][:_FEW]
    for sentence in sentences:
        stated = sentence.text.rstrip().rstrip(".!")
        if stated and not stated.endswith("?"):
            yield Clause(start=sentence.start, end=sentence.start + len(stated))


def opening_of(text: str) -> int:
    """Where what follows a greeting, an introduction, "just kidding" or "sorry" begins, or 0."""
    greeted = _GREETED.match(text)
    begin = greeted.end() if greeted else _end_of_joke(text) or _end_of_apology(text)
    introduced = next(introductions(text), None)
    if introduced is not None and introduced.start <= begin + len("!  "):
        begin = introduced.end
    between = _BETWEEN.match(text, begin)
    return between.end() if begin and between else begin


def _end_of_joke(text: str) -> int:
    """Where a first clause ends that says that a joke was said before; 0 if there is none."""
    tokens = [*tokens_of(Part(start=0, text=text[:_LONGEST_JOKE]))]
    words = tuple(token.word for token in tokens)
    length = max(fact_words(code).jokes.length_at(words) for code in LANGUAGES)
    is_clause = 0 < length < len(words) and not words[length][0].isalnum()
    return tokens[length].end if is_clause else 0


def _end_of_apology(text: str) -> int:
    """Where a first clause ends that only sets out to set something right: "Sorry,"; 0 without."""
    tokens = [*tokens_of(Part(start=0, text=text[:_LONGEST_JOKE]))]
    words = tuple(token.word for token in tokens)
    length = max(correction_words(code).opening.length_at(words) for code in LANGUAGES)
    is_clause = 0 < length < len(words) and words[length] == ","
    return tokens[length].end if is_clause else 0


def _has_capital(word: str) -> bool:
    return word[0].isupper() and not is_common_word(word)


def _is_name(name: str) -> bool:
    first = name.lower().split()[0]
    return first not in _NO_NAMES and not first.endswith(_NO_NAME_ENDINGS)


def _begins_with_first_name(name: str) -> bool:
    return is_first_name(name.split(maxsplit=1)[0])
