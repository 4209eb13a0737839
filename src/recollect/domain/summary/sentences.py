"""The sentences of a text, and the filler words in them."""

import re
from collections.abc import Iterator
from typing import Final

# Each run of marks is tried once, from its start: ten thousand dots must not take seconds.
_ENDS: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”\u2019)\]*]*+(?=\s)|[。\uff01\uff1f]+|\n+")
_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FENCE: Final = re.compile(r"^```[^\S\n]*\w*\n|```\s*$")
_LIST_MARK: Final = re.compile(r"^(?:[-*•#>]+|\d{1,3}[.)])\s+")
_NO_LETTER_OR_DIGIT: Final = re.compile(r"[\W_]+")
_ABBREVIATED: Final = """mr mrs ms dr st prof e.g i.e vs etc no nr approx fig incl excl resp ca
    bijv bv dhr mevr drs ing d.w.z a.u.b o.a m.b.t n.a.v z.b usw bzw sr jr"""
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())
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


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line; a block of code is one of them."""
    found: list[str] = []
    start = 0
    for block in _CODE_BLOCK.finditer(text):
        found += _split_prose(text[start : block.start()])
        found += _one_line(_FENCE.sub("", block.group()))
        start = block.end()
    return found + _split_prose(text[start:])


def _split_prose(text: str) -> list[str]:
    found: list[str] = []
    for part in _parts(text):
        found += _one_line(_LIST_MARK.sub("", part.strip()))
    return found


def _parts(text: str) -> Iterator[str]:
    start = 0
    for end in _ENDS.finditer(text):
        if end.group() == "." and _goes_on(text, start, end):
            continue
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _goes_on(text: str, start: int, dot: re.Match[str]) -> bool:
    """Whether a full stop ends an abbreviation, an initial, a list's number, or a figure's half."""
    before = text[max(start, dot.start() - 12) : dot.start()].split()
    if not before:
        return True
    last = before[-1].lower().lstrip("(\"'")
    if last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and last != "i"):
        return True
    following = text[dot.end() : dot.end() + 2].strip()
    return last[-1:].isdigit() and (
        following[:1].isdigit() or not text[start : dot.start()].strip(" 0123456789\n")
    )


def _one_line(text: str) -> list[str]:
    line = " ".join(text.split())
    return [] if _NO_LETTER_OR_DIGIT.fullmatch(line) or not line else [line]


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
    """The sentence without the words that only open or close it; '' if there was nothing else."""
    text = _LOOSE_APOSTROPHE.sub("'", sentence)
    opening = _OPENING.match(text)
    if opening:
        text = text[opening.end() :]
    text = _CLOSING.sub("", text)
    if _ONLY_OPENERS.fullmatch(text) or _PLEASANTRY.fullmatch(text):
        return ""
    return text[:1].upper() + text[1:] if opening else text
