"""Whether what a model made of a follow-up can be trusted."""

from collections.abc import Sequence
from typing import Final

from recollect.domain.followup.dialogue import Said
from recollect.domain.followup.grammar import Tag, Text, read
from recollect.domain.followup.language import detect_language
from recollect.domain.followup.languages import pack_for
from recollect.domain.followup.languages.pack import LanguagePack
from recollect.domain.followup.mentions import content_words
from recollect.domain.followup.rewrite import MAX_ADDED

_KEPT: Final = 0.6  # of the question's own words that carry meaning
_KNOWN: Final = 0.7  # of the rewrite's words, said before by somebody
_HEARD_MESSAGES: Final = 20
_HEARD: Final = 2000  # characters of each, so that a pasted book does not delay the answer
_STEM: Final = 4  # letters that two forms of a word share
_ENOUGH_TO_TELL: Final = 5  # words; of fewer the language cannot be told
_SMALL_WORDS: Final = 1 / 3
_QUOTES: Final = "\"'` \u201c\u201d\u2018\u2019"
_LABELS: Final = ("standalone question:", "rewritten question:", "question:", "rewrite:")


def clean_reply(reply: str) -> str:
    """A model's reply without the label, quotes and remarks that models like to add."""
    lines = [line.strip() for line in reply.strip().splitlines() if line.strip()]
    said = lines[0] if lines else ""
    for label in _LABELS:
        if said.lower().startswith(label):
            said = said[len(label) :]
    return said.strip(_QUOTES)


def is_faithful(rewritten: str, question: str, history: Sequence[Said], *, language: str) -> bool:
    """Whether a rewrite still asks the question: its length, language, words and form agree."""
    if not rewritten or len(rewritten) > len(question) + MAX_ADDED:
        return False
    pack = pack_for(language)
    new, asked = read(rewritten, pack), read(question, pack)
    if not _is_in_language(new, pack):
        return False
    said = " ".join(message.content[:_HEARD] for message in history[-_HEARD_MESSAGES:])
    own = _content(asked, pack)
    meant = _content(new, pack)
    known = own | _content(read(said, pack), pack)
    return (
        _share(own, meant) >= _KEPT
        and _share(meant, known) >= _KNOWN
        and _asks(new, pack) >= _asks(asked, pack)
    )


def _is_in_language(text: Text, pack: LanguagePack) -> bool:
    """Names mislead the detection of short texts, small words do not."""
    small = sum(token.lower in pack.closed for token in text.tokens)
    if len(text.tokens) < _ENOUGH_TO_TELL or small >= len(text.tokens) * _SMALL_WORDS:
        return True
    return detect_language(text.text) == pack.code


def _content(text: Text, pack: LanguagePack) -> frozenset[str]:
    return content_words((token.lower for token in text.tokens if token.is_word), pack)


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    """How many of the words the others have too, in this or another form."""
    if not words:
        return 1.0
    stems = {word[:_STEM] for word in others}
    return sum(word[:_STEM] in stems for word in words) / len(words)


def _asks(text: Text, pack: LanguagePack) -> bool:
    """Whether a text asks or requests something, rather than answers."""
    opens = text.tag(0) in {Tag.QUESTION, Tag.AUXILIARY} or text.word(0) in pack.requests
    return opens or text.text.rstrip().endswith("?")
