"""Questions for the first or the last time that something was said, in five languages."""

import re
import unicodedata
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from recollect.domain.language import is_common_word, words_of


class Occurrence(Enum):
    """Which of several entries about one thing is asked for."""

    FIRST = auto()
    LAST = auto()


class AskedOccurrence(NamedTuple):
    """The occurrence that a question asks for, and the question without the words for it.

    With these words, 9 of 66 questions about a topic found something else first, without them 2.
    """

    occurrence: Occurrence | None
    subject: str


class _Phrases(NamedTuple):
    first: re.Pattern[str]
    last: re.Pattern[str]


def _phrases(*templates: str, first: str, last: str, only: Mapping[str, str]) -> _Phrases:
    """The patterns of a language: templates with the words for both, and what only one has."""

    def pattern(which: str, words: str) -> re.Pattern[str]:
        choices = [template.replace("ORDINAL", f"(?:{words})") for template in templates]
        choices += [only[which]] if which in only else []
        return re.compile(rf"\b(?:{'|'.join(choices)})\b", re.IGNORECASE)

    return _Phrases(pattern("first", first), pattern("last", last))


# Only phrases for a moment of talking: "last week" is a time, "first name" is neither, and "the
# first thing I should do" is no memory.
_PHRASES: Final[Mapping[str, _Phrases]] = {
    "en": _phrases(
        r"(?:for )?(?:the|my|our|your) (?:very )?ORDINAL time(?: that)?",
        r"(?:the|my|our|your) (?:very )?ORDINAL "
        r"(?:thing|question|message|conversation|discussion|chat|answer|request|mention)"
        r"(?= (?:about|on|(?:that |which )?(?:i|we|you)"
        r"(?! (?:should|must|need|have to|can|could|would|will)))\b)",
        r"ORDINAL (?:ask|asked|mention|mentioned|discuss|discussed|talk|talked|speak|spoke|spoken"
        r"|tell|told|say|said|hear|heard|bring up|brought up)",
        first="first",
        last="last|latest|most recent|most recently",
        only={"last": "most recently"},
    ),
    "nl": _phrases(
        r"(?:de|mijn|onze|die) (?:aller)?ORDINAL (?:keer|maal)(?: dat)?",
        r"(?:de|het|mijn|onze?) (?:aller)?ORDINAL (?:vraag|bericht|gesprek|antwoord|verzoek)"
        r"(?= (?:over|die|dat|van|aan)\b)",
        r"het (?:aller)?ORDINAL (?:wat|dat) (?:ik|we|wij|je|jij|u)"
        r"(?! (?:moet|kan|zou|mag|wil|zal|ga))",
        first="eerste",
        last="laatste|meest recente|recentste",
        only={
            "first": "voor het eerst",
            "last": "voor het laatst|het laatst|(?<=ik )laatst|(?<=we )laatst|(?<=wij )laatst",
        },
    ),
    "de": _phrases(
        r"(?:das|zum|beim|mein|unser) (?:aller)?ORDINAL mal(?:,? dass)?",
        r"(?:die|das|meine?|unsere?) (?:aller)?ORDINAL "
        r"(?:frage|nachricht|unterhaltung|gespr[aä]ch|antwort|bitte)"
        r"(?=,? (?:zu|zum|zur|[uü]ber|die|das|an)\b)",
        first="erste|ersten|erstes",
        last="letzte|letzten|letztes",
        only={
            "first": r"erstmals|zuerst(?= (?:\S+ ){0,8}"
            r"(?:gefragt|gesagt|gesprochen|geredet|erw[aä]hnt|besprochen|erz[aä]hlt)\b)",
            "last": "zuletzt",
        },
    ),
    "fr": _phrases(
        r"(?:pour )?(?:la|ma|notre|cette) (?:toute )?ORDINAL fois(?: que)?",
        r"(?:la|le|ma|mon|notre) (?:toute )?ORDINAL "
        r"(?:question|chose|conversation|discussion|r[eé]ponse|demande|message)"
        r"(?= (?:sur|concernant|[aà] propos|que|qu)\b"
        r"(?!.? ?(?:je dois|tu dois|nous devons|vous devez|il faut|il faudrait)))",
        first="premi[eè]re?|premier",
        last="derni[eè]re|dernier",
        only={"last": "le plus r[eé]cemment"},
    ),
    "es": _phrases(
        r"(?:la|mi|nuestra|aquella|por) ORDINAL vez(?: que)?",
        r"(?:la|mi|nuestra) ORDINAL (?:pregunta|cosa|conversaci[oó]n|respuesta|petici[oó]n|charla)"
        r"(?= (?:sobre|acerca|de|que)\b(?! (?:debo|debemos|tengo que|tenemos que|hay que)))",
        r"lo ORDINAL que(?= (?:te |le |os |les )?"
        r"(?:pregunt|dij|habl|ped[ií]|pid|coment|mencion|cont)\w*)",
        first="primera|primero",
        last="[uú]ltima|[uú]ltimo",
        only={"last": "m[aá]s recientemente"},
    ),
}

_SAYING: Final[Mapping[str, re.Pattern[str]]] = {
    language: re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.IGNORECASE)
    for language, words in {
        "en": "ask asked mention mentioned discuss discussed talk talked speak spoke spoken tell "
        "told say said thing come came up",
        "nl": "vroeg vroegen gevraagd noemde genoemd besproken bespraken sprak spraken gesproken "
        "zei zeiden gezegd vertelde verteld ging over naar",
        "de": "fragte fragten gefragt erw[aä]hnt besprochen sprach sprachen gesprochen geredet "
        "sagte sagten gesagt erz[aä]hlt ging um [uü]ber nach",
        "fr": "demand[eé]e? pos[eé]e? mentionn[eé] discut[eé] parl[eé] [eé]voqu[eé] dite? sur",
        "es": "pregunt[eé] preguntamos pregunt[oó] mencion[eé] habl[eé] hablamos dije dijimos "
        "coment[eé] comentamos ped[ií] sobre",
    }.items()
}
"""Words about asking and saying: in such a question they do not tell its subject."""


def asked_occurrence(question: str, *, language: str) -> AskedOccurrence:
    """What a question asks for: the first or the last time, or None if neither or both."""
    phrases = _PHRASES.get(language)
    if phrases is None:
        return AskedOccurrence(None, question)
    text = unicodedata.normalize("NFC", question)
    is_first, is_last = (phrase.search(text) is not None for phrase in phrases)
    if is_first == is_last:
        return AskedOccurrence(None, question)
    phrase = phrases.first if is_first else phrases.last
    subject = " ".join(_SAYING[language].sub(" ", phrase.sub(" ", text)).split())
    has_subject = any(not is_common_word(word) for word in words_of(subject))
    occurrence = Occurrence.FIRST if is_first else Occurrence.LAST
    return AskedOccurrence(occurrence, subject if has_subject else question)
