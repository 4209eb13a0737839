"""Who says a message, in a log that names its speakers."""

import re
from typing import Final

from recollect.domain.message import Message

_MAX_NAME: Final = 60
_NAMED_BY: Final = ("speaker", "name")
_OPENING: Final = re.compile(
    r"([^\W\d_][\w.'\u2019-]*(?: [^\W\d_][\w.'\u2019-]*){0,2}):[ \t]+(?=\S)"
)
# What people write before a colon that is not who speaks.
_LABEL_WORDS: Final = """
    a action ai answer antwoord antwort assistant attention aufgabe background beispiel
    bemerkung bot bug cc code comment commentaire comments conclusion consulta context contexte
    contexto copy correction data date datum description detail details ejemplo email error
    erreur exception exemple example explanation fact fehler file filter final fix fout format
    frage from fwd given goal help hinweis hint human idea important info input instruction
    instructions issue kontext language link list message model nota note notice objective objet
    onderwerp opdracht opmerking output p.s pd ps pregunta problem problema problème prompt q
    query question quote re reason reminder remarque reply request requête response respuesta
    result resultaat résultat résumé réponse role rule samenvatting select source sources sql
    step subject suggestion summary system table task tarea taak text thanks thema time tip
    title titre to todo translation update url usage user verzoek voorbeeld vraag warning
    wichtig
"""
_LABELS: Final = frozenset(_LABEL_WORDS.split())


def speaker_of(message: Message) -> str | None:
    """The speaker that a message's metadata name (`speaker` or `name`), on one line."""
    for key in _NAMED_BY:
        name = message.metadata.get(key)
        if isinstance(name, str) and name.strip():
            return " ".join(name.split())[:_MAX_NAME]
    return None


def written_speaker(content: str) -> str | None:
    """The name a message begins with, as in `Ann: Hello`, unless it is a label such as `Note:`."""
    found = _OPENING.match(content)
    if found is None or not found[1][0].isupper() or len(found[1]) > _MAX_NAME:
        return None
    words = found[1].lower().split()
    return None if _LABELS.intersection(words) else found[1]
