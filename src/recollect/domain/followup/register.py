"""Whether a conversation asks a table or wants things explained."""

from typing import Final

from recollect.domain.followup.grammar import Tag, Text, found_once
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.openers import opener_end

_MANY_CUES: Final = 3
_SOME_CUES: Final = 3


def is_data_talk(
    previous: Text, question: Text, pack: LanguagePack, *, had_open_question: bool
) -> bool:
    """Whether two questions read as asked of a table: they list, count, compare or order."""
    cues = _cues(previous, pack) + _cues(question, pack)
    if cues >= _MANY_CUES:
        return True
    if had_open_question or is_open_question(question, pack):
        return False
    restricts = any(tag in {Tag.PREPOSITION, Tag.CLAUSE} for tag in previous.tags)
    has_names = any(token.is_capitalised for token in previous.tokens[1:])
    return cues > 0 or (restricts and not has_names)


def is_data_question(text: Text, pack: LanguagePack) -> bool:
    """Whether one question by itself is surely asked of a table."""
    return _cues(text, pack) >= _SOME_CUES and not is_open_question(text, pack)


@found_once
def is_open_question(text: Text, pack: LanguagePack) -> bool:
    """Whether a question asks for an explanation, which no table gives."""
    for place in range(opener_end(text, pack), len(text.tokens)):
        word = text.word(place)
        if word in pack.open_words and text.word(place + 1) not in pack.counting:
            is_request = word in pack.requests and text.word(place + 2) != pack.about
            if not is_request:
                return True
    return False


def _cues(text: Text, pack: LanguagePack) -> int:
    said = {token.lower for token in text.tokens}
    return len(said & pack.data_words) + any(token.is_number for token in text.tokens)
