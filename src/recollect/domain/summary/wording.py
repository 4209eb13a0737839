"""Leaving out the words that carry talk along but say nothing."""

import re
from typing import Final

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
