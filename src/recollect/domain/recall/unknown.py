"""Answers that tell nothing, which nobody wants to be reminded of."""

import re
from typing import Final

_LONGEST: Final = 160
"""A longer answer says something besides."""
_APOLOGY: Final = (
    r"(?:(?:i(?:'m| am) )?(?:so |very )?sorry|unfortunately|(?:het spijt me|sorry|helaas)"
    r"|(?:es tut mir leid|entschuldigung|leider)|(?:je suis )?désolée?|malheureusement"
    r"|lo siento|perdón|lamentablemente)[,.:;!]*\s*(?:but |maar |aber |mais |pero )?"
)
_NOTHING: Final = (
    # English
    r"i (?:really )?(?:do not|don't) know|i have no (?:idea|information|answer)"
    r"|i(?:'m| am) not sure|i (?:can(?:not|'t)|could(?: not|n't)|am unable to|was unable to)"
    r" (?:answer|find|tell|say|help)|(?:there is )?no (?:answer|information|results?)\b"
    r"|(?:not known|unknown|n/?a|none)\W*$"
    # Dutch
    r"|(?:dat )?weet ik niet|ik weet (?:het|dat) niet|ik heb geen (?:idee|informatie|antwoord)"
    r"|(?:dat |ik )?kan (?:ik )?(?:dat |het )?niet (?:beantwoorden|vinden|zeggen)"
    r"|(?:daar )?(?:is )?geen (?:antwoord|informatie|resultaat|resultaten)\b|onbekend\W*$"
    # German
    r"|(?:das )?wei(?:ß|ss) ich(?: leider)? nicht"
    r"|ich wei(?:ß|ss)(?: es| das)?(?: leider)? nicht"
    r"|ich habe keine (?:ahnung|information(?:en)?|antwort)"
    r"|(?:das |ich )?kann (?:ich )?(?:das |es )?nicht (?:beantworten|finden|sagen)"
    r"|keine (?:antwort|informationen|ergebnisse)\b|unbekannt\W*$"
    # French
    r"|je ne sais pas|je l'ignore|je n'ai (?:pas trouvé|aucune (?:idée|information|réponse))"
    r"|je ne peux pas (?:répondre|trouver|dire)|(?:il est )?impossible de répondre"
    r"|(?:il n'y a )?aucune? (?:réponse|information|résultat)\b|inconnue?\W*$"
    # Spanish
    r"|no (?:lo )?sé|no tengo (?:ni )?(?:idea|información|respuesta)"
    r"|no (?:puedo|pude) (?:responder|contestar|encontrar|decir)|no encontr[ée]"
    r"|(?:no hay )?ning(?:una|ún) (?:respuesta|información|resultado)"
    r"|no hay (?:respuesta|información|resultados)|desconocid[oa]\W*$"
)
_TELLS_NOTHING: Final = re.compile(rf"\W*+(?:{_APOLOGY})?(?:{_NOTHING})", re.IGNORECASE)
_MORE: Final = re.compile(r"\b(?:but|maar|aber|mais|pero)\b", re.IGNORECASE)


def tells_nothing(answer: str) -> bool:
    """Whether an answer is empty, or says in one of five languages that there is none."""
    said = " ".join(answer.replace("\u2019", "'").split())
    if not said:
        return True
    if len(said) > _LONGEST or any(character.isdigit() for character in said):
        return False
    found = _TELLS_NOTHING.match(said)
    return found is not None and _MORE.search(said, found.end()) is None
