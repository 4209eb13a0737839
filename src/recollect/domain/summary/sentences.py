"""The sentences of a text, without filler words, and with names in place of pronouns."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from recollect.domain.language import sentence_parts

_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE: Final = re.compile(r"^```[^\S\n]*\w*\n|```\s*$")
_LIST_MARK: Final = re.compile(r"^(?:[-*•#>]+|\d{1,3}[.)])\s+")
_NO_LETTER_OR_DIGIT: Final = re.compile(r"[\W_]+")
# The longest come first where one begins with another.
_OPENERS: Final = """first of all|in fact|to be honest|by the way|of course|excuse me|i'm sorry|
    i am sorry|i mean|i see|you know|you see|let me see|all right|alright|oh my god|my god|oh dear|
    good morning|good afternoon|good evening|thank you very much|thank you so much|thank you|thanks|
    sounds good|well|oh|okay|ok|yes|yeah|yep|yup|nope|no|so|and|but|sure|hello|hi|hey|really|right|
    great|good|perfect|cool|nice|actually|look|listen|anyway|sorry|please|now|then|hmm|um|uh|wow|
    gee|certainly|frankly|goedemorgen|goedemiddag|goedenavond|goeiedag|dank je wel|dank u wel|
    dankjewel|dankuwel|bedankt|om eerlijk te zijn|eerlijk gezegd|in feite|trouwens|natuurlijk|
    pardon|weet je|zie je|even kijken|hallo|hoi|dag|oké|oke|top|fijn|ja hoor|ja|nee|nou|dus|
    maar|en|goed|prima|mooi|eigenlijk|luister|kijk|tja|zeker|graag"""
_CLOSERS: Final = """please|sir|madam|ma'am|you know|right|though|then|isn't it|okay|ok|huh|
    alstublieft|alsjeblieft|a\\.u\\.b\\.|hoor|toch|hè|mevrouw|meneer"""
_PLEASANTRIES: Final = """how are you(?: doing)?(?: today)?|how do you do|nice to meet you(?: too)?|
    (?:have a )?(?:nice|good|great) (?:day|evening|weekend)|good ?bye|bye(?: bye)?|
    see you(?: \\w++)?|(?:thank you|thanks)(?: (?:so|very) much)?(?: for \\w+ \\w++)?|
    you're welcome|you are welcome|not at all|my pleasure|no problem|
    that's (?:right|true|great|all right|ok|okay|fine|good)|i got it|i know|i think so|
    (?:is there )?anything else(?: i can help(?: you)? with)?|
    (?:can|may|how can|how may) i help you|let me know if .{0,60}|i hope (?:this|that) helps|
    happy to help|hoe gaat het(?: met (?:je|u))?|aangenaam|fijne (?:dag|avond)(?: nog)?|tot ziens|
    doei|(?:dank je|dank u)(?: wel)?|bedankt(?: voor .{0,40})?|graag gedaan|geen probleem|
    klopt|dat klopt|(?:kan|waarmee kan) ik (?:je|u)(?: ergens(?: mee)?)? helpen|
    laat het (?:me|mij) weten.{0,60}|is er (?:nog )?iets anders.{0,60}"""
_REGULAR: Final = """need want think know hope like believe guess see feel live work love prefer say
    mean wonder remember understand agree plan expect wish look get go come take make use find
    suppose try keep start play teach study run enjoy hate own help call pay spend suggest recommend
    hear ask tell give wait"""
_ENDING_IN_ES: Final = ("o", "ch", "sh", "s")
_ADVERBS: Final = "also|really|just|always|still|only|usually|often|never|certainly|actually"
_NUMBERED: Final = "war|part|type|phase|class|chapter|table|level|stage|tier|group|section|volume"
_NOT_A_PERSON: Final = re.compile(rf"\b(?:{_NUMBERED}) I\b|\bI[/.-]\w", re.IGNORECASE)
_QUOTED: Final = re.compile(r"[\"“”«»„`<>{}=;\0\1]|'\w[^']*'(?!\w)")
_SPEAKER: Final = "\0"  # stand-ins, so that what is in a name is never taken for a pronoun
_LISTENER: Final = "\1"
_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str] | str]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line; a block of code is one of them."""
    lines: list[str] = []
    start = 0
    for block in _CODE_BLOCK.finditer(text):
        lines += _prose_lines(text[start : block.start()])
        lines.append(" ".join(_FENCE.sub("", block.group()).split()))
        start = block.end()
    lines += _prose_lines(text[start:])
    return [line for line in lines if line and not _NO_LETTER_OR_DIGIT.fullmatch(line)]


def _prose_lines(text: str) -> Iterator[str]:
    return (" ".join(_LIST_MARK.sub("", part.strip()).split()) for part in sentence_parts(text))


def _alternatives(words: str) -> str:
    return "|".join(word.strip() for word in words.replace("\n", "").split("|"))


_GREETING: Final = "hi|hello|hey|dear|good morning|good afternoon|good evening|hallo|hoi|dag|beste"
_OPENING: Final = re.compile(
    rf"(?:(?:{_alternatives(_OPENERS)}|(?:{_GREETING}),? (?-i:[A-Z])[\w.]+)"
    r"(?:\s*[,.!;:—…-]+\s+|\s*[.!…?]*$))+",
    re.IGNORECASE,
)
_ONLY_OPENERS: Final = re.compile(rf"(?:(?:{_alternatives(_OPENERS)})\b[\W_]*+)+", re.IGNORECASE)
_CLOSING: Final = re.compile(rf",\s*(?:{_alternatives(_CLOSERS)})(?=\s*[.?!]*$)", re.IGNORECASE)
_PLEASANTRY: Final = re.compile(rf"(?:{_alternatives(_PLEASANTRIES)})[\W_]*", re.IGNORECASE)
_LOOSE_APOSTROPHE: Final = re.compile(
    r"(?<=\w) ?['\u2019] ?(?=(?:s|t|m|re|ve|ll|d)\b)", re.IGNORECASE
)


def tighten(sentence: str) -> str:
    """Return a sentence without words that only open or close it; '' if there is nothing else."""
    text = _LOOSE_APOSTROPHE.sub("'", sentence)
    opening = _OPENING.match(text)
    if opening:
        text = text[opening.end() :]
    text = _CLOSING.sub("", text)
    if _ONLY_OPENERS.fullmatch(text) or _PLEASANTRY.fullmatch(text):
        return ""
    return text[:1].upper() + text[1:] if opening else text


def _third(verb: str) -> str:
    if verb.endswith(_ENDING_IN_ES):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return verb + "s"


_VERBS: Final = {verb: _third(verb) for verb in _REGULAR.split()} | {
    "have": "has",
    "haven't": "hasn't",
    "am": "is",
    "are": "is",
    "aren't": "isn't",
    "do": "does",
    "don't": "doesn't",
    "were": "was",
    "weren't": "wasn't",
}


def _rules(pronoun: str, name: str) -> tuple[_Rule, ...]:
    modal = "can|could|may|might|will|would|shall|should|must|did|can't|won't|didn't|let|to"
    before = "[Aa]m|[Aa]re|[Dd]o|[Hh]ave|[Dd]on't|[Aa]ren't|[Hh]aven't|[Ww]ere"
    after = "|".join(sorted(_VERBS, key=len, reverse=True))
    return (
        (re.compile(rf"{pronoun}'(?:m|re)\b"), f"{name} is"),
        (re.compile(rf"{pronoun}'ve\b"), f"{name} has"),
        (re.compile(rf"{pronoun}'ll\b"), f"{name} will"),
        (re.compile(rf"{pronoun}'d (?=like|love|rather|prefer|be\b)"), f"{name} would "),
        (re.compile(rf"{pronoun}'d\b"), f"{name} had"),
        (re.compile(rf"\b((?i:{modal})) {pronoun}(?!')"), lambda m: f"{m[1]} {name}"),
        (re.compile(rf"\b({before}) {pronoun}"), lambda m: f"{_verb(m[1])} {name}"),
        (
            re.compile(rf"{pronoun} ((?:(?:{_ADVERBS}) )?)({after})\b(?!')"),
            lambda m: f"{name} {m[1]}{_VERBS[m[2]]}",
        ),
        (re.compile(pronoun), name),
    )


def _verb(word: str) -> str:
    third = _VERBS[word.lower()]
    return third.capitalize() if word[0].isupper() else third


_FIRST_PERSON: Final[tuple[_Rule, ...]] = (
    *_rules(r"\bI\b", _SPEAKER),
    (re.compile(r"\b(?:[Mm]y|[Mm]ine)\b"), f"{_SPEAKER}'s"),
    (re.compile(r"\b(?:[Mm]e|[Mm]yself)\b"), _SPEAKER),
)
_SECOND_PERSON: Final[tuple[_Rule, ...]] = (
    *_rules(r"\b[Yy]ou\b", _LISTENER),
    (re.compile(r"\b[Yy]ours?\b"), f"{_LISTENER}'s"),
    (re.compile(r"\b[Yy]ourself\b"), _LISTENER),
)
_SAYS_I: Final = re.compile(r"\b(?:I|[Mm]y|[Mm]ine|[Mm]e|[Mm]yself)\b")
_SAYS_YOU: Final = re.compile(r"\b[Yy]ou")
_ROLES: Final = {"user": "the user", "assistant": "the assistant"}


def in_third_person(sentence: str, *, speaker: str, listener: str | None) -> str:
    """Return an English sentence with names for 'I' and, for one listener, for 'you'."""
    if _QUOTED.search(sentence) or _NOT_A_PERSON.search(sentence):
        return sentence
    text = sentence.replace("\u2019", "'")
    if _SAYS_I.search(text):
        text = _replace(_FIRST_PERSON, text)
    if listener and _SAYS_YOU.search(text):
        text = _replace(_SECOND_PERSON, text)
    if _SPEAKER not in text and _LISTENER not in text:
        return sentence
    named = text.replace(_SPEAKER, mention_of(speaker))
    named = named.replace(_LISTENER, mention_of(listener or ""))
    return named[:1].upper() + named[1:]


def _replace(rules: tuple[_Rule, ...], text: str) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def mention_of(speaker: str) -> str:
    """Return how a speaker is called inside a sentence: a name, or a role with its article."""
    return _ROLES.get(speaker.lower(), speaker)
